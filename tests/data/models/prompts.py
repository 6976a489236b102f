"""Twenty prompts of various kinds, and how a model family wraps a conversation."""


def chat(system, *turns):
    """ChatML: turns alternate user, assistant, …; the assistant answers next."""
    text = f"<|im_start|>system\n{system}<|im_end|>\n"
    for i, turn in enumerate(turns):
        text += f"<|im_start|>{'assistant' if i % 2 else 'user'}\n{turn}<|im_end|>\n"
    return text + "<|im_start|>assistant\n"


def prompts(system):
    return [
        ("capital", "The capital of France is"),
        ("story", "Once upon a time, in a small village by the sea, there lived"),
        ("one_token", "The"),
        ("python", "def fibonacci(n):\n"),
        ("cpp", "#include <vector>\n\nint sum(const std::vector<int>& values) {\n    int total = 0;\n    for ("),
        ("json", '{"name": "Ada", "born": 1815, "fields": ["mathematics", '),
        ("sql", "SELECT name, COUNT(*) FROM orders WHERE year = 2021 GROUP BY"),
        ("digits", "1, 2, 3, 5, 8, 13, 21, 34,"),
        ("arithmetic", "12 + 30 = 42\n7 + 8 = 15\n25 + 25 ="),
        ("list", "Planets of the solar system:\n1. Mercury\n2. Venus\n3."),
        ("french", "Le soleil se lève à l'est et se couche"),
        ("german", "Die Hauptstadt von Österreich heißt"),
        ("spanish", "En un lugar de la Mancha, de cuyo nombre"),
        ("russian", "Москва — столица"),
        ("chinese", "中国的首都是"),
        ("emoji", "I love pizza 🍕 and"),
        ("chat_capital", chat(system, "What is the capital of France?")),
        ("chat_haiku", chat("You are a poet.", "Write a haiku about the moon.")),
        ("chat_turns", chat(system, "Name a primary colour.", "Red.", "And another one?")),
        ("hundred_tokens",
         "Photosynthesis is the process by which green plants, algae and some bacteria turn light into chemical energy. "
         "In plants it takes place in the chloroplasts, where a green pigment called chlorophyll absorbs mostly blue and red "
         "light. The light reactions split water, release oxygen and store energy in small molecules; the dark reactions, "
         "known as the Calvin cycle, then use that energy to build sugars from carbon dioxide. Almost all life on Earth "
         "depends on this process, because"),
    ]
