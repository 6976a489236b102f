"""The strings of the tokenizer tests: scripts, emoji, white space, digits, code, broken UTF-8, special tokens."""
import random

LANGUAGES = """
The quick brown fox jumps over the lazy dog; it didn't mind, and we'll see if they're happy they've won.
Die Straße führt über die Brücke, größer als gedacht: „Äpfel“ und ‚Öl‘.
L'été dernier, nous avons mangé des crêpes à l'œuf près du château — c'était délicieux !
¿Dónde está el niño? ¡Mañana será otro día, señor Muñoz!
Não há razão para não ir à praça amanhã de manhã.
Perché no? È già così; l'università è lì.
Zażółć gęślą jaźń, powiedział żółw.
Příliš žluťoučký kůň úpěl ďábelské ódy.
Árvíztűrő tükörfúrógép és hosszú őszi éjszaka.
Într-o zi, șoarecele și pisica au ținut împreună.
Flygande bäckasiner söka hwila på mjuka tuvor.
Kæmi ný öxi hér, ykist þjófum nú bæði víl og ádrepa.
Hyvää päivää, äiti lähti töihin yöllä.
Õhtul sõidame järve äärde püüdma.
Glāžšķūņa rūķīši dzērumā čiepj Baha koncertflīģeļu vākus.
Įlinkdama fechtuotojo špaga sublykčiojusi pragręžė apvalų arbūzą.
Pijamalı hasta yağız şoföre çabucak güvendi. İstanbul'da ılık.
Xin chào, tôi muốn một bát phở bò thật ngon ở Hà Nội.
Съешь же ещё этих мягких французских булок, да выпей чаю.
Щастям б'єш жук їх глицю в фон й ґедзь пріч.
Ξεσκεπάζω την ψυχοφθόρα βδελυγμία· τι κάνεις;
Խելացի մարդը սովորում է ուրիշների սխալներից։
გთხოვთ, დაელოდოთ სანამ მატარებელი გაჩერდება.
דג סקרן שט בים מאוכזב ולפתע מצא חברה; שָׁלוֹם עֲלֵיכֶם.
نص حكيم له سر قاطع وذو شأن عظيم؛ السَّلَامُ عَلَيْكُمْ.
هر انسانی آزاد به دنیا می‌آید و کتاب‌ها را دوست دارد.
ٹھنڈی چائے اور گرم سموسے، کیا بات ہے۔
सभी मनुष्य जन्म से स्वतंत्र हैं; क्या आप हिन्दी बोलते हैं?
আমি বাংলায় গান গাই, আমি বাংলার গান গাই।
ਸਾਰੇ ਮਨੁੱਖ ਬਰਾਬਰ ਹਨ।
બધા માનવો સ્વતંત્ર જન્મે છે.
யாதும் ஊரே யாவரும் கேளிர்.
అందరూ స్వతంత్రులుగా పుట్టారు.
ಎಲ್ಲಾ ಮಾನವರೂ ಸ್ವತಂತ್ರರಾಗಿಯೇ ಜನಿಸಿದ್ದಾರೆ.
എല്ലാ മനുഷ്യരും സ്വതന്ത്രരായി ജനിക്കുന്നു.
සියලු මනුෂ්‍යයෝ නිදහස්ව උපත ලබති.
มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน
ມະນຸດທຸກຄົນເກີດມາມີອິດສະຫຼະ
មនុស្សទាំងអស់កើតមកមានសេរីភាព
လူတိုင်းသည် လွတ်လပ်စွာ မွေးဖွားလာသည်။
འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་ལ་རང་དབང་ཡོད།
ሰው ሁሉ ነጻ ሆኖ ተወልዷል።
人人生而自由，在尊严和权利上一律平等。
臺灣的天氣很好，我們去爬山吧！「真的嗎？」
すべての人間は、生まれながらにして自由であり、ｶﾀｶﾅとカタカナも使う。
모든 인간은 태어날 때부터 자유로우며 ᄒᆞᆫ글도 있다.
ᠬᠦᠮᠦᠨ ᠪᠦᠷ ᠲᠥᠷᠥᠵᠦ ᠮᠡᠨᠳᠡᠯᠡᠬᠦ
ᏂᎦᏓ ᎠᏂᏴᏫ ᏂᎨᎫᏓᎸᎾ
ᐃᓄᓕᒫᑦ ᐊᓂᖅᑎᕆᔪᓐᓇᕐᖢᑎᒃ
ꯃꯤꯑꯣꯏꯕ ꯈꯨꯗꯤꯡꯃꯛ ꯄꯣꯛꯄ
𐌰𐌽𐍃𐍄𐌴𐌹 𝔉𝔯𝔞𝔨𝔱𝔲𝔯 𝒮𝒸𝓇𝒾𝓅𝓉 𝟘𝟙𝟚 𓀀𓂀 𒀀𒁀
""".strip().splitlines()

CODE = r"""
int main(int argc, char** argv) { return argc > 1 ? 0 : -1; }
def f(x):\n    if x is None:\n        return {}\n\n\n    return [i**2 for i in range(x) if i % 2 == 0]\n
#include <vector>\r\n\r\nstd::vector<int> v{1, 2, 3};\r\n
\tfor (let i = 0; i < 10; i++) {\n\t\tconsole.log(`i=${i}`);\n\t}\n
SELECT * FROM t WHERE a='x' AND b<>"y" -- note\n;
{"key": [1, 2.5e-10, null, true], "nested": {"a": "\\u00e9"}}
<div class="x">&nbsp;Hello&amp;<br/></div>
https://example.org/a/b?c=d&e=%20f#g user.name+tag@example.co.uk
$ ls -la /usr/bin | grep -E '^d' && echo "$HOME"
E = mc^2; \\frac{a}{b} \\sum_{i=0}^{n} x_i
0x1F 0b1010 1_000_000 3.14159 -273.15 1e9 50% $100 €20 £5 ¥300 ½ ² ³ ① Ⅳ ٣٤٥ ४५ 一二三
x+=1;y-=2;z*=3;w/=4;a<<=2;b>>=3;c^=d|e&~f;!g==h!=i
I'M I'LL DON'T we'Re'S 'tis 'twas rock'n'roll o'clock 'S'T'RE'VE'M'LL'D 's't're've'm'll'd I’m don’t 'ſ 'ſt
""".strip().splitlines()

EMOJI = ["😀", "👨‍👩‍👧‍👦", "👍🏽", "🏳️‍🌈", "🇫🇷🇯🇵", "❤️", "☃︎", "🧑🏿‍🚀", "1️⃣", "🫠", "🦜", "✈️", "™", "👩‍❤️‍💋‍👨", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"]

SPACES = [" ", "  ", "   ", "\t", "\n", "\r", "\r\n", "\n\n", "\n\n\n", " \n", "\n ", "\t\t ", "\u00a0", "\u2003", "\u3000",
          "\u2028", "\u2029", "\u0085", "\u200b", "\ufeff", "\u180e", "\u1680", "\u205f", "\x0b", "\x0c", "\x1c", "\x00", "\x1b"]

MARKS = ["e\u0301", "a\u0308\u0304", "Z\u0351\u036b\u0343a\u0334l\u0335g\u0336o\u0337", "\u0301", " \u0301a", "क्षि", "ก็", "\u064b",
         "ﬁ", "Å", "A\u030a", "ß", "ǆ", "İ", "ſ", "K", "Ω", "\u00ad", "\u2060", "\ufffd"]

SPECIALS = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|im_start|", "|im_end|>", "<repo_name>", "<reponame>", "<file_sep>",
            "<empty_output>", "<tool_call>", "</tool_call>", "<|fim_prefix|>", "<|IM_START|>", "<gh_stars>", "<tag>", "<tag><tag", "<ta"]

BROKEN = [b"\xff", b"\xfe\xff", b"\xc0\xaf", b"\xc1\xbf", b"\x80", b"\xbf\xbf", b"\xe2\x82", b"\xe2", b"\xf0\x9f\x98", b"\xf0\x9f",
          b"\xf0", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xed\xa0\xbd\xed\xb8\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80",
          b"\xe0\x80\xaf", b"\xe0\x9f\xbf", b"\xf0\x80\x80\xaf", b"\xf0\x8f\xbf\xbf", b"\xf1\x80\x41", b"\xc3(", b"\xe1\x80",
          b"\xf5\x80\x80\x80", b"\xe2\x28\xa1", b"\xf4\x8f\xbf", b"\xfc\x80\x80\x80\x80\x80"]


def numbers(rng):
    kind = rng.randrange(5)
    if kind == 0:
        return str(rng.randrange(10 ** rng.randrange(1, 30)))
    if kind == 1:
        return f"{rng.random() * 1e6:,.{rng.randrange(6)}f}"
    if kind == 2:
        return f"{rng.randrange(1900, 2100)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 32):02}T{rng.randrange(24):02}:00:00Z"
    if kind == 3:
        base = rng.choice([0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10, 0x1D7CE, 0x11F50, 0x11DE0])
        return "".join(chr(base + rng.randrange(10)) for _ in range(rng.randrange(1, 8)))
    return " ".join(str(rng.randrange(1000)) for _ in range(rng.randrange(1, 8)))


def any_characters(rng):
    planes = [(0x20, 0x7F), (0, 0x100), (0, 0x3000), (0, 0xD800), (0xE000, 0x20000), (0x10000, 0x110000), (0x1F300, 0x1FB00),
              (0x11F00, 0x11F60), (0x16100, 0x16140), (0x31350, 0x32400)]
    low, high = rng.choice(planes)
    return "".join(chr(rng.randrange(low, high)) for _ in range(rng.randrange(1, 12)))


def word(rng):
    language = rng.choice(LANGUAGES)
    begin = rng.randrange(len(language))
    return language[begin:begin + rng.randrange(1, 16)]


def mixture(rng):
    code = [unescaped(line) for line in CODE]
    sources = [lambda: word(rng), lambda: numbers(rng), lambda: rng.choice(EMOJI) * rng.choice([1, 1, 2, 5]),
               lambda: rng.choice(SPACES) * rng.choice([1, 1, 1, 2, 3, 7]), lambda: rng.choice(MARKS),
               lambda: rng.choice(code)[:rng.randrange(1, 40)], lambda: any_characters(rng),
               lambda: rng.choice("'’`\"") + rng.choice(["s", "t", "re", "ve", "m", "ll", "d", "S", "LL", "x"]),
               lambda: rng.choice("!?.,;:-–—…()[]{}<>/\\|@#$%^&*_=+~¡«»„“”") * rng.choice([1, 2, 3, 9])]
    return "".join(rng.choice(sources)() for _ in range(rng.randrange(1, 7)))


def unescaped(line):
    """A line of CODE with its \\n, \\t, \\r and \\\\ resolved."""
    return line.replace("\\\\", "\0").replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r").replace("\0", "\\")


def strings():
    """All test strings in a fixed order; bytes where they are not valid UTF-8."""
    rng = random.Random(15)
    out = [""] + LANGUAGES + CODE + [unescaped(line) for line in CODE] + EMOJI + SPACES + MARKS + SPECIALS + BROKEN
    out += [chr(c) for c in range(256)] + ["a" + chr(c) + " b" for c in range(256)]
    out += [a + b + c for a in SPACES[:12] for b in SPACES[:6] for c in ("", "x", "7", "-")]
    out += [" " * n + rest for n in (1, 2, 3, 8, 64, 257) for rest in ("", "a", "\n", "\na", "1", " .")]
    out += [c * n for c in ("a", "A", "1", "-", "é", "漢", "😀", "\n", "ab", "<|im_end|>") for n in (2, 31, 32, 33, 34, 100, 300)]
    out += ["".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(n)) for n in (16, 31, 32, 33, 64, 65, 500, 1500)]
    out += [numbers(rng) for _ in range(100)] + [any_characters(rng) for _ in range(200)]
    out += [mixture(rng) for _ in range(750)]
    out += ["".join(rng.choice([mixture(rng), rng.choice(SPECIALS), rng.choice(SPECIALS)]) for _ in range(rng.randrange(1, 6)))
            for _ in range(150)]
    for _ in range(250):
        text = (mixture(rng)[:40]).encode("utf-8", "replace")
        kind = rng.randrange(3)
        at = rng.randrange(len(text) + 1)
        if kind == 0:
            text = text[:at] + rng.choice(BROKEN) + text[at:]
        elif kind == 1:
            text = text[:at]
        else:
            text = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 16)))
        out.append(text)
    seen, unique = set(), []
    for s in out:
        key = s if isinstance(s, bytes) else s.encode()
        if key not in seen:
            seen.add(key)
            try:
                unique.append(key.decode())
            except UnicodeDecodeError:
                unique.append(key)
    return unique
