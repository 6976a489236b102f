"""Writes chat.json: templates, conversations and the prompts that transformers makes of them.

    python make_chat.py MODELS      # the folder with the .gguf files named below; needs `transformers`, `jinja2`, `gguf`

A case has "template" or, for a model's own one, "model" (a file in MODELS); "messages", "variables", and "expected",
which is null where Jinja reports an error.
"""
import json
import pathlib
import sys

from gguf import GGUFReader
from transformers.utils.chat_template_utils import _cached_compile_jinja_template as compile_template

HERE = pathlib.Path(__file__).parent

SYSTEM = {"role": "system", "content": "You are terse.\nVery."}
USER = {"role": "user", "content": "What is 2 + 2? <b>&\"'"}
ASSISTANT = {"role": "assistant", "content": "Vier — 四 😀\n"}
CALLS = {"role": "assistant", "content": "", "tool_calls": [
    {"type": "function", "function": {"name": "weather", "arguments": {"city": "Zürich", "days": 3, "exact": 1.5, "now": True, "unit": None}}},
    {"name": "time", "arguments": {"zones": ["UTC", "CET"], "nested": {"a": [], "b": {}}}}]}
TOOL = {"role": "tool", "content": "{\"t\": 21}"}
TOOLS = [{"type": "function", "function": {"name": "weather", "description": "It's \"the\" weather\t<now>",
                                           "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]
CONVERSATIONS = [
    [USER], [SYSTEM, USER], [USER, ASSISTANT, USER], [SYSTEM, USER, ASSISTANT, USER, ASSISTANT], [USER, CALLS, TOOL, TOOL, ASSISTANT],
    [SYSTEM, USER, CALLS, TOOL, USER], [{"role": "user", "content": ""}], [{"role": "assistant", "content": "x"}], [SYSTEM],
    [USER, SYSTEM, TOOL],
]

# Each exercises something, over the conversation DATA and the variables VARIABLES. ⏎ ⇥ ␍ stand for \\n \\t \\r.
DATA = [SYSTEM, USER, ASSISTANT]
VARIABLES = {"n": 7, "m": -3, "f": 2.5, "t": True, "z": None, "s": "  Ünï çödé  ", "e": "", "l": [3, 1, "two", None, [4]],
             "d": {"b": 1, "a": {"c": [1.0, 1e20, 1e-7, 0.1]}, "items": 5}, "xs": ["a", "bb", "", "ccc"]}
TEMPLATES = r"""
{{ messages[0].role }}|{{ messages[-1]['content'] }}|{{ messages[1]["role"] }}
{% for m in messages %}{{ loop.index }}{{ loop.index0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.revindex }}{{ loop.revindex0 }};{% endfor %}
{% for m in messages %}{{ loop.previtem.role if loop.previtem is defined else '-' }}{{ (loop.nextitem or {'role': '+'}).role }}{% endfor %}
{%- for m in messages if m.role != 'system' %}{{ loop.index }}{{ m.role }}{% else %}none{% endfor %}
{% for m in [] %}x{% else %}empty{% endfor %}{% for m in missing %}x{% else %}gone{% endfor %}
{% for c in 'aé😀' %}[{{ c }}]{% endfor %}{% for k in d %}{{ k }}{% endfor %}
{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}{% for k, v in d|items %}{{ k }}{% endfor %}
{% for i in range(5) %}{% if i == 1 %}{% continue %}{% endif %}{% if i == 4 %}{% break %}{% endif %}{{ i }}{% endfor %}
{{ range(3)|list }}{{ range(1, 4)|list }}{{ range(5, 0, -2)|list }}{{ range(0)|list }}
{% set x = 1 %}{% for i in [1,2] %}{{ x }}{% set x = x + i %}{{ x }}{% endfor %}{{ x }}
{% set ns = namespace(c=0, seen=false) %}{% for m in messages %}{% set ns.c = ns.c + 1 %}{% if m.role == 'user' %}{% set ns.seen = true %}{% endif %}{% endfor %}{{ ns.c }}{{ ns.seen }}{{ ns.missing is defined }}
{% set a, b = 1, 'two' %}{{ a }}{{ b }}{% set (p, q) = [3, 4] %}{{ p }}{{ q }}
{% set block %}  in {{ n }} {% endset %}[{{ block }}]{{ block|trim|length }}
{% if n > 5 and m < 0 %}A{% elif n %}B{% else %}C{% endif %}{% if not t %}D{% elif z %}E{% else %}F{% endif %}
{{ n + m }} {{ n - m }} {{ n * m }} {{ n / 2 }} {{ n // 2 }} {{ m // 2 }} {{ n % 3 }} {{ m % 5 }} {{ -n % 5 }} {{ f * 2 }} {{ f // 2 }} {{ -f // 2 }} {{ -f % 2 }} {{ 7 / 7 }}
{{ 'a' + 'b' ~ n ~ z ~ t }} {{ 'ab' * 3 }} {{ [1] + [2, 'x'] }} {{ [0] * 2 }} {{ 2 * 'xy' }} {{ 'x' * -1 }}|
{{ n == 7.0 }}{{ t == 1 }}{{ z == none }}{{ 'a' < 'b' }}{{ 'é' > 'z' }}{{ [1, 2] == [1, 2] }}{{ {'a': 1} == {'a': 1.0} }}{{ 1 != '1' }}{{ (1,) == [1] }}
{{ 'ell' in 'hello' }}{{ 3 in l }}{{ 'b' in d }}{{ 'q' not in d }}{{ not 'x' in 'y' }}{{ none in l }}{{ [4] in l }}{{ 1 in missing }}
{{ 1 if t else 2 }}{{ 1 if e }}{{ 'a' if e else 'b' if z else 'c' }}{{ (e or 'def') }}{{ (n and 'yes') }}{{ z and 1 }}{{ 0 or '' or 'last' }}
{{ l[0] }}{{ l[-1] }}{{ l[99] }}{{ l[4][0] }}{{ s[2] }}{{ s[-3] }}{{ d.a.c[1] }}{{ d['a']['c'][2] }}{{ d.a['c'].0 }}{{ d.get('b') }}{{ d.get('zz', 4) }}{{ d.get('zz') }}{{ d['items'] }}
{{ l[1:] }}{{ l[:2] }}{{ l[::-1] }}{{ l[-2:] }}{{ l[3:1] }}{{ l[::2] }}{{ l[4:0:-2] }}{{ 'héllo'[1:3] }}{{ 'héllo'[::-1] }}{{ messages[1:]|length }}{{ 'abc'[-99:99] }}{{ 'abc'[5:] }}{{ l[:none] }}
{{ l }}{{ d }}{{ ('a', 1) }}{{ (1,) }}{{ () }}{{ {} }}{{ [] }}{{ 'it\'s' }}{{ ["it's", '"', "'\"", '\\n\n\t\x00\x7f\xa0é\u200b😀'] }}{{ none }}{{ true }}{{ 1.0 }}{{ 1e16 }}{{ 123456789012345680.0 }}{{ 0.0001 }}{{ 0.00001 }}{{ 1e22 }}{{ 100000.5 }}
{{ d|tojson }}{{ l|tojson(indent=2) }}{{ TOOLS|tojson }}{{ "é\"\\\n\u0001</script>'"|tojson }}{{ {}|tojson(indent=4) }}{{ d|tojson(indent=4) }}{{ 1.5|tojson }}{{ z|tojson }}{{ t|tojson }}{{ (1,2)|tojson }}
[{{ s|trim }}][{{ s.strip() }}][{{ s.lstrip() }}][{{ s.rstrip() }}][{{ 'xxaxx'.strip('x') }}][{{ 'abcba'.lstrip('ab') }}][{{ 'éaé'.strip('é') }}][{{ 'xyx'|trim('x') }}][{{ '\u3000a\x1c\u2028'.strip() }}]
{{ s|upper }}{{ s|lower }}{{ 'aÉ'.upper() }}{{ 'AÉÏ'.lower() }}{{ 'abc'|length }}{{ 'é😀'|length }}{{ d|length }}{{ l|count }}{{ missing|length }}{{ z|string }}
{{ missing }}{{ missing|default('dflt') }}{{ e|default('x') }}{{ e|default('x', true) }}{{ z|d('q', boolean=true) }}{{ missing|default }}{{ messages[0].nope|default('none') }}
{{ xs|join }}{{ xs|join(', ') }}{{ xs|join('-')|upper }}{{ l|join('/') }}{{ messages|join('+', attribute='role') }}{{ 'abc'|join('.') }}
{{ xs|first }}{{ xs|last }}{{ 'xyz'|first }}{{ []|first }}{{ d|first }}{{ 'abc'|list }}
{{ 'a,b,,c'.split(',') }}{{ '  a b\t\nc '.split() }}{{ 'a,b,c'.split(',', 1) }}{{ 'abc'.split('x') }}{{ ''.split(',') }}{{ ''.split() }}{{ ' a  b  c '.split(none, 1) }}{{ 'a</t>b</t>c'.split('</t>')[-1] }}
{{ 'a.b.c'.rsplit('.', 1) }}{{ ' a b c '.rsplit() }}{{ ' a  b c '.rsplit(none, 1) }}{{ 'a.b.c'.rsplit('.') }}
{{ 'hello'.startswith('he') }}{{ 'hello'.endswith('he') }}{{ 'hello'.startswith(('x', 'h')) }}{{ 'hello'.replace('l', 'LL') }}{{ 'aaa'.replace('a', 'b', 2) }}{{ 'abc'.replace('', '-') }}{{ 'aé'|replace('é', 'e') }}{{ ''.replace('', 'x') }}
{{ x is defined }}{{ n is defined }}{{ x is not defined }}{{ z is none }}{{ z is not none }}{{ s is string }}{{ n is number }}{{ f is float }}{{ n is integer }}{{ t is boolean }}{{ t is true }}{{ d is mapping }}{{ l is iterable }}{{ l is sequence }}{{ d is sequence }}{{ x is undefined }}{{ e is false }}{{ t is number }}{{ t is integer }}{{ n is iterable }}
{{ n is eq 7 }}{{ n is equalto(8) }}{{ 'a' is in 'abc' }}{{ n is ne 7 }}{{ not n is defined }}{{ messages[0].x is defined and 1 }}{{ n is defined or x }}{{ 'y' if x is defined else 'n' }}
{{ "a" "b" 'c' }}{{ 'tab\there' }}{{ "\x41\u00e9\U0001F600\101" }}{{ 'no\qescape' }}{{ 0x1F }}{{ 0b101 }}{{ 0o17 }}{{ 1_000 }}{{ 1.5e3 }}{{ 2E-2 }}
{{ dict(a=1, b='x') }}{{ dict({'a': 1}, a=2) }}{{ namespace(a=1).a }}{{ {'k': n, 'k2': [n]}.k2[0] }}{{ {'a': 1, 'a': 2} }}
a  {%- if t -%}  b  {%- endif -%}  c {{- 'd' -}}  e
  {% if t %}   ⏎  x⏎  {% endif %}  ⏎  y {% if t %}z{% endif %}⏎⏎  {# c #}⏎w {#- c -#} v  {# c +#}⏎u
⏎⏎  {%+ if t %}⏎  a⏎  {%- endif +%}⏎  b⏎⇥{{ n }}⏎{{ n }}⏎⏎
{%- set a = 1 -%}⏎⏎{{ a }}␍⏎b␍c␍⏎
{{ n }}{# {{ not run }} {% nor this %} #}{{ n }}{ { } } {x {% if t %}}{% endif %}#} %} }}
{{ {"a": {"b": 1}}["a"]["b"] }}{{ [[1, 2], [3]][0][1] }}{{ (n) }}{{ ((n + 1) * 2) }}{{ n + 1 * 2 }}{{ -n + 1 }}{{ - -n }}{{ not not t }}{{ n - 1 - 1 }}{{ 2 * 3 % 4 }}{{ 1 ~ 2 * 3 }}{{ -1|string }}{{ (-1)|string }}{{ n|string|length }}{{ 'a' 'b'|upper }}
{{ n ~ 1 - 1 }}
{% generation %}{{ n }}{% endgeneration %}{% for i in [1] %}{% generation %}{% set q = 3 %}{{ q }}{% endgeneration %}{{ q is defined }}{% endfor %}
{{ raise_exception('no ' + s) }}
{{ missing.attribute }}
{{ missing + 1 }}
{{ n + s }}
{{ 1 / 0 }}
{{ 'a' < 1 }}
{{ n.x.y }}
{{ z.x }}{{ n.x }}{{ l.x }}
{{ z|length }}
{% for i in n %}{% endfor %}
{{ n() }}
{{ missing() }}
{{ missing|tojson }}
{{ missing|upper }}{{ missing|trim }}{{ z|upper }}
{% set n.x = 1 %}
{{ 'a'.split('') }}
{% set a, b = [1] %}
{{ (
{% if t %}
{% endif %}
{% for x in l %}
{{ 'abc }}
{# open
{{ l[ }}
{{ n n }}
{% for in l %}{% endfor %}
{{ range(200000)|length }}
{{ 'x' is in n }}
{{ x is defined is defined }}
{% if t %}{% for i in [1,2] %}{% if i == 2 %}two{% else %}{{ i }}{% endif %}{% endfor %}{% endif %}
{%- for m in messages -%}⏎    {%- if m.role == 'user' and loop.index0 > 0 -%}⏎        {{- '<u>' + m.content|trim + '</u>' -}}⏎    {%- endif -%}⏎{%- endfor -%}
{% for m in messages %}⏎    {% if m['role'] == 'user' %}⏎        {{ m['content'] }}⏎    {% endif %}⏎{% endfor %}⏎{% if add_generation_prompt %}{{ 'go' }}{% endif %}
{{ bos_token }}{{ eos_token }}{{ bos_token + 'x' }}{{ tools is none }}{{ documents is defined }}
""".strip("\n").split("\n")


def render(source, messages, variables, generate):
    try:
        return compile_template(source).render(messages=messages, add_generation_prompt=generate, bos_token="<s>", eos_token="</s>",
                                               **{"tools": None, "documents": None, **variables})
    except Exception:
        return None


def main(folder):
    cases = []
    for model in ["SmolLM2-135M-Instruct.Q4_1.gguf", "qwen2.5-coder-0.5b-instruct.gguf"]:
        source = GGUFReader(folder / model).fields["tokenizer.chat_template"].contents()
        for conversation in CONVERSATIONS:
            for generate in (True, False):
                for variables in ({}, {"tools": TOOLS}):
                    cases.append({"model": model, "messages": conversation, "variables": variables, "generate": generate,
                                  "expected": render(source, conversation, variables, generate)})
    for line in TEMPLATES:
        source = line.replace("⏎", "\n").replace("⇥", "\t").replace("␍", "\r")
        variables = {**VARIABLES, "TOOLS": TOOLS}
        cases.append({"template": source, "messages": DATA, "variables": variables, "generate": True,
                      "expected": render(source, DATA, variables, True)})
    rows = ",\n".join(json.dumps(c, ensure_ascii=False, separators=(",", ":")) for c in cases)
    (HERE / "chat.json").write_text(f"[\n{rows}\n]\n")
    print(len(cases), "cases,", sum(c["expected"] is None for c in cases), "errors")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
