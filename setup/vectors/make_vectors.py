#!/usr/bin/env python3
"""Make the files in embed/e5/testdata that package e5 is held against.

    python3 -m venv /tmp/vectors
    /tmp/vectors/bin/pip install tokenizers==0.23.3 onnxruntime==1.31.1 numpy==2.4.6
    /tmp/vectors/bin/python setup/vectors/make_vectors.py [CACHE]

CACHE is where `make setup` puts the model (default: MEMD_CACHE_DIR, else
/var/cache/memd for root and ~/.cache/memd for others). Run it by hand when the
model, its runtime or the corpus changes; the tests need only what it wrote. The
same input gives the same bytes.

  tokens.jsonl.gz      thousands of texts, each with the hash of its token ids
  tokens.json          a few texts with their ids in full
  codepoints.gz        for every code point between two letters, in blocks of 256,
                       the hash of the ids; those of newer_than_reference.txt left
                       out (and given in the first line)
  vectors.json         a few texts with their vectors

The ids are those of "passage: " + text, with [CLS] and [SEP], cut to 512. A hash is
the first eight bytes, in hex, of the SHA-256 of the ids as little-endian uint16.
The texts are made from corpus.txt, and for the odd ones from what is below.
"""
import base64
import gzip
import hashlib
import json
import os
import random
import re
import struct
import sys

import numpy
import onnxruntime
import tokenizers

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "../../embed/e5/testdata")
MODEL = "e5-small-v2-q8-0.36.2"
SEED = 20240229
PER_SENTENCE = 48


def cache():
    if len(sys.argv) > 1:
        return sys.argv[1]
    if os.environ.get("MEMD_CACHE_DIR"):
        return os.environ["MEMD_CACHE_DIR"]
    return "/var/cache/memd" if os.geteuid() == 0 else os.path.expanduser("~/.cache/memd")


def open_tokenizer(path):
    """the reference, with special tokens known to the template alone: "[SEP]" in a text is text"""
    with open(path, encoding="utf-8") as f:
        description = json.load(f)
    description["added_tokens"] = []
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(description))
    tokenizer.enable_truncation(512)
    return tokenizer


def read_corpus():
    """language -> (words by slot, sentences)"""
    languages, words, sentences = {}, {}, []
    with open(os.path.join(HERE, "corpus.txt"), encoding="utf-8") as f:
        for line in f:
            line = line.rstrip("\n")
            slot = re.match(r"([a-z]+): (.*)$", line)
            if not line or line.startswith("#"):
                continue
            if line.startswith("@"):
                words, sentences = languages.setdefault(line[1:], ({}, []))
            elif slot and " | " in line:
                words[slot[1]] = slot[2].split(" | ")
            else:
                sentences.append(line)
    return languages


def real_texts(rng):
    languages = read_corpus()
    common = languages.pop("all")[0]
    texts = []
    for words, sentences in languages.values():
        words = {**common, **words}
        for sentence in sentences:
            for _ in range(PER_SENTENCE):
                texts.append(re.sub(r"\{([a-z]+)\}", lambda m: rng.choice(words[m[1]]), sentence))
    # Longer messages, some of several languages, some past the 512 tokens.
    for size in [2, 3, 5, 8, 13] * 60 + [40, 60, 90] * 12:
        texts.append(rng.choice([" ", "\n", "\n\n- ", "\t", " … "]).join(rng.choice(texts) for _ in range(size)))
    for text in rng.sample(texts, 300):
        texts.append(rng.choice([str.upper, str.title, str.swapcase, lambda t: t.replace(" ", "")])(text))
    return texts


ODD = [
    "[SEP]", "[CLS] [MASK] [PAD] [UNK]", "a [SEP] b[SEP]c", "[sep]", "##ing", "## a", "a##b", "query: passage: query:",
    "<|endoftext|> <s> </s>", "👍", "👍🏽👨‍👩‍👧‍👦 🏳️‍🌈 🇵🇹", "❤️ vs ❤", "1️⃣2️⃣", "👩🏾‍🚀 works", "😀😃😄" * 40,
    "a\u200bb\u200cc\u200dd\u2060e\ufefff", "\u202eabc\u202c def", "\u2066left\u2069 \u2067right\u2069",
    "e\u0301 é E\u0301 É", "Å\u030a a\u0323\u0302 \u1eac", "a" + "\u0301" * 5, "a" + "\u0301" * 100 + "b", "\u0301 alone",
    "\u0344 \u1fee \u212b \u2126", "ﬁ ﬂ ﬃ ſ ẞ ß ŉ ǰ", "İI ıi i̇", "Σίσυφος ΣΊΣΥΦΟΣ ς σ", "DŽ Dž dž LJ Lj",
    "\u1e9b\u0323 \u0958 \ufb1d \u2adc \ufb2c", "\U0001d15e \U0001d1bb", "क्षि ക്ഷ ශ්‍රී", "ྲཱྀ ཀྵ",
    "한글 한글 ᄒ 힣", "ㄱㄴㄷ ㅏㅑ ﾡ ￂ", "각\u11a8 \u1100\u1161\u11a8",
    "漢字かな交じり文", "丐丐a丐1丐", "𠀀𪜀𫝀𫠠𬺰𰀀", "豈更車 丽", "〇々〆ヶ", "㍿ ㌔ ㋿", "カ゛ ガ が が", "ﾊﾟ",
    "　全角　スペース", "a\u00a0b\u2007c\u202fd\u3000e\u1680f", "a\u2028b\u2029c\u0085d\u000be\u000cf", "a\tb\rc\nd\r\ne",
    "\x00\x01\x02 \x7f\x80\x9f", "a\x00b", "\x1b[31mred\x1b[0m", "a\u00adb soft\u00adhyphen",
    "\ue000\uf8ff \U000f0000 \U0010fffd", "\u0378 \u0380 \U0003fffd \ufdd0 \ufffe \U0001ffff", "\ufffd a\ufffdb", "￼",
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "¡¿«»‹›“”„‘’‚—–‐‑…·•§¶†‡", "$€£¥₹₿¢ + − × ÷ = ≠ ≤ ≥ ∞ √ ∑ ∫", "a_b-c.d,e;f:g",
    "don't l'été rock'n'roll 's", "x²³ ½ ⅓ ⁵⁄₈ №5 ™ ® © ℃ Ⅷ ⓐ ①", "1,234.56 1.234,56 ١٢٣ १२३ 一二三 𝟙𝟚𝟛", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝒯𝑒𝓍𝓉 ｆｕｌｌ ｗｉｄｔｈ",
    "x" * 99, "x" * 100, "x" * 101, "é" * 99, "é" * 100, "é" * 101, "e\u0301" * 100, "e\u0301" * 101, "日" * 101, "0" * 100 + " " + "0" * 101,
    "abc" * 40 + " ok", "." * 600, "a " * 600, "a." * 300, "日" * 700, "word " * 509, "word " * 508 + "antidisestablishmentarianism",
    "𓀀𓁐 𐎀𐎁 ⴰⴱ ᚠᚢ ꙮ ᏣᎳᎩ", "Ꭰ ꭰ Ა ა Ⴀ ⴀ", "‎RLM‏ ‪LRE‬", "מִקְרָא קֹדֶשׁ", "اَلْعَرَبِيَّة ـــ ﷺ ﻼ", "ก็ ที่ น้ำ เก่า", "ຳ ໍາ",
    "{\"role\": \"user\", \"content\": null}", "<p class=\"x\">Hi&nbsp;there</p>", "SELECT 'a' || \"b\" -- c", "C++ C# F# .NET a->b ::c",
    "http://user:pw@host:80/p?q=1&r=%C3%A9#f", "foo@bar.example", "/usr/lib/x.so.1", "C:\\Users\\Zoë\\a.txt", "#hashtag @name ~tilde",
    "\ud55c\uae00\u200d\u1112", "\u0c15\u0c4d\u200c", "z" + "\u0300\u0316\u0301\u0317" * 20, "\u1ab0\u1dc0\u20d0\ufe20x",
    "ⅰ ⅼ ⅿ Ⓐ ⓩ", "ǅ ᾈ ᾳ ῼ", "ﬀ\u0301", "‰ ‱ ′ ″ ‴ ※ ‼ ⁇ ⁉", "⸺ ⸻ 〜 ～ 〰 ｡ ､ ･", "؟ ، ؛ ۔ । ॥ ། ๏ ។", "٪ ٫ ٬ ⁒", "‿ ⁀ ⁔ ︳ ﹏ ＿",
]

# Bytes that are no UTF-8: cut sequences, overlong forms, surrogates, stray bytes.
BROKEN = [
    b"ab\xffcd", b"\xc3", b"caf\xc3 au lait", b"\xe2\x82 euro", b"\xf0\x9f\x91", b"x\xed\xa0\x80y", b"\xc0\xaf/etc", b"\xf4\x90\x80\x80",
    b"\xfe\xfe\xff\xff", b"ok \x80\x81\x82 ok", "né".encode("latin-1"), "日本".encode("utf-16-le"), b"\xef\xbf\xbd\xef\xbf",
]


def odd_texts(rng):
    texts = list(ODD)
    # Mixtures: odd pieces with and without blanks between, inside and around words.
    for _ in range(700):
        pieces = [rng.choice(ODD)[:40] for _ in range(rng.randint(2, 5))]
        texts.append(rng.choice(["", " ", "x", "-"]).join(pieces))
    # Noise from blocks that text is written in, and from anywhere.
    blocks = [(0x20, 0x24F), (0x250, 0x36F), (0x370, 0x58F), (0x590, 0x77F), (0x900, 0x10FF), (0x1100, 0x1FFF), (0x2000, 0x2BFF),
              (0x2E80, 0x33FF), (0x3400, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFFFF), (0x10000, 0x1FFFF), (0x20000, 0x323AF)]
    newer = newer_than_reference()
    for _ in range(900):
        low, high = rng.choice(blocks)
        points = [rng.randint(low, high) if rng.random() < 0.8 else rng.choice([0x20, 0x61, 0x2E, 0x301]) for _ in range(rng.randint(1, 40))]
        texts.append("".join(chr(p) for p in points if p not in newer and not 0xD800 <= p < 0xE000))
    return [t for t in texts if t]


def newer_than_reference():
    points = set()
    with open(os.path.join(HERE, "newer_than_reference.txt"), encoding="ascii") as f:
        for line in f:
            if not line.startswith("#"):
                for span in line.split():
                    low, _, high = span.partition("-")
                    points.update(range(int(low, 16), int(high or low, 16) + 1))
    return points


def spans(points):
    out, points = [], sorted(points)
    for p in points:
        if out and out[-1][1] == p - 1:
            out[-1][1] = p
        else:
            out.append([p, p])
    return out


def digest(ids):
    return hashlib.sha256(struct.pack(f"<{len(ids)}H", *ids)).hexdigest()[:16]


def write(name, data):
    path = os.path.join(OUT, name)
    if name.endswith("gz"):
        data = gzip.compress(data, 9, mtime=0)
    with open(path, "wb") as f:
        f.write(data)
    print(f"{os.path.relpath(path)}: {len(data)} bytes")


def lines(items):
    return "".join(json.dumps(i, ensure_ascii=False) + "\n" for i in items).encode()


def main():
    model = os.path.join(cache(), MODEL)
    tokenizer = open_tokenizer(os.path.join(model, "tokenizer.json"))
    session = onnxruntime.InferenceSession(os.path.join(model, "model.onnx"), providers=["CPUExecutionProvider"])
    rng = random.Random(SEED)
    os.makedirs(OUT, exist_ok=True)

    def ids(text, prefix="passage: "):
        return tokenizer.encode(prefix + text).ids

    real, odd = real_texts(rng), odd_texts(rng)
    seen, items = set(), []
    for text in real + odd:
        if text not in seen:
            seen.add(text)
            items.append({"text": text, "ids": digest(ids(text))})
    for raw in BROKEN:
        items.append({"raw": base64.b64encode(raw).decode(), "ids": digest(ids(raw.decode("utf-8", "replace")))})
    write("tokens.jsonl.gz", lines(items))
    print(f"{len(items)} texts, {len(set(real))} of them real")

    full = rng.sample(real, 8) + ODD[:3] + ["e\u0301 É", "漢字かな", "한글", "x" * 101, "a\u00a0b\u200bc", "It's 7:30 — 👍 unbelievably ok"]
    write("tokens.json", b"[\n" + b",\n".join(json.dumps({"text": t, "ids": ids(t)}, ensure_ascii=False).encode() for t in full) + b"\n]\n")

    newer = newer_than_reference()
    out = [" ".join(f"{a:x}-{b:x}" for a, b in spans(newer))]
    for block in range(0x1100):
        all_ids = []
        for p in range(block << 8, (block + 1) << 8):
            if p not in newer and not 0xD800 <= p < 0xE000:
                all_ids += tokenizer.encode("a" + chr(p) + "b").ids
        out.append(digest(all_ids))
    write("codepoints.gz", ("\n".join(out) + "\n").encode())

    vectors = []
    for i, text in enumerate(rng.sample(real, 16) + ["word " * 600, "👍", "[SEP]", "漢字かな交じり文 한글", "what is my dog's name?"]):
        prefix = "query: " if i % 3 == 0 else "passage: "
        token_ids = numpy.array([ids(text, prefix)], dtype=numpy.int64)
        tokens = session.run(None, {"input_ids": token_ids, "attention_mask": numpy.ones_like(token_ids),
                                    "token_type_ids": numpy.zeros_like(token_ids)})[0][0]
        vector = tokens.mean(axis=0)
        vector = (vector / numpy.linalg.norm(vector)).astype("<f4")
        vectors.append({"kind": prefix[:-2], "text": text, "vector": base64.b64encode(vector.tobytes()).decode()})
    write("vectors.json", b"[\n" + b",\n".join(json.dumps(v, ensure_ascii=False).encode() for v in vectors) + b"\n]\n")


if __name__ == "__main__":
    main()
