#!/usr/bin/env python3
"""Writes answers.jsonl: answers whose provenance is known by construction.

Each line is one agent run: a question, the tool calls with what they returned,
the final answer, and for every value of the answer its link state and the
documents (by URL) that carry it. The states are those of metrics.md 1.1. This
script shares nothing with the linker: it decides a value's provenance first
and writes the texts from it. Seeded: running it again writes the same bytes.
"""
import json
import random
import sys
from decimal import Decimal as D, ROUND_HALF_UP

R = random.Random(20261130)

PRODUCTS = ["Corvid 5 camera", "Halden kettle", "Brisa fan", "Tarn 300 bicycle", "Lumo desk lamp",
            "Ostrava piano", "Kestrel drone", "Marlow sofa", "Petra stove", "Quill e-reader"]
COMPANIES = ["Arbor Foods", "Delmar Shipping", "Fenwick Bank", "Helio Energy", "Ironbridge Steel",
             "Juniper Health", "Kelvin Motors", "Lindqvist Paper", "Montero Cement", "Northway Rail"]
CITIES = ["Aldermoor", "Bellport", "Castra", "Dunmore", "Eastvale", "Farholm", "Gravina", "Hexley"]
RIVERS = ["Orla", "Tessin", "Varde", "Wend", "Yarrow", "Zelma"]
SITES = ["news.example", "daily.example", "factbook.example", "stats.example", "blog.example",
         "archive.example", "wire.example", "journal.example"]
ZH_COMPANIES = ["远山科技", "海川物流", "明湖食品", "青岭能源", "白鹿汽车", "新桥银行"]
ZH_PRODUCTS = ["灵雀耳机", "云杉平板", "飞鸿手表", "墨竹阅读器"]

FILLER = [
    "The office moved to a new building with {a} rooms.",
    "A reader survey with {a} replies was published on the same page.",
    "The article has {a} comments.",
    "Parking is available for {a} cars.",
    "The local choir gave {b} concerts.",
    "The page was viewed {a} times.",
    "The garden has {b} benches and {a} trees.",
    "The guide is {b} pages long.",
]


def fmt(n, places=0):
    q = D(n).quantize(D(1).scaleb(-places), rounding=ROUND_HALF_UP)
    return f"{q:,}"


def rnd(lo, hi):
    return R.randint(lo, hi)


def odd(lo, hi):
    """A number that does not end in 0: no accidental roundness."""
    while True:
        n = rnd(lo, hi)
        if n % 10:
            return n


class Run:
    def __init__(self, kind):
        self.kind, self.docs, self.values = kind, [], []
        self.question = self.answer = ""
        self.cut = False
        self.tool = R.choice(["search", "web_search", "lookup", "fetch_page"])
        self.lang = "en"

    def doc(self, text, date=None, filler=True, title="Page"):
        url = f"https://{R.choice(SITES)}/{self.kind}/{len(self.docs)}-{rnd(100, 999)}x"
        if filler:
            f = R.choice(FILLER).format(a=odd(20011, 98999), b=rnd(13, 18))
            text = f"{text} {f}" if R.random() < .5 else f"{f} {text}"
        self.docs.append({"url": url, "title": title, "published": date or f"2026-0{rnd(1,9)}-{rnd(10,28)}", "text": text})
        return url

    def value(self, text, state, docs=(), given=False):
        self.values.append({"text": text, "state": state, "docs": sorted(docs), **({"given": True} if given else {})})
        return text

    def distract(self):
        for _ in range(rnd(1, 3)):
            c = R.choice(COMPANIES)
            self.doc(f"{c} opened a canteen for {odd(203, 978)} people near the station.", filler=R.random() < .5)


def shape(run):
    """Lays the documents out as a tool would: a JSON list, an object, or markdown, in one call or several."""
    R.shuffle(run.docs)
    style = R.choice(["list", "object", "markdown", "split"])
    if style == "list":
        return [{"tool": run.tool, "args": {"query": run.question}, "result": [
            {"title": d["title"], "url": d["url"], "published": d["published"], "content": d["text"]} for d in run.docs]}]
    if style == "object":
        return [{"tool": run.tool, "args": {"q": run.question}, "result": {"count": len(run.docs), "results": [
            {"name": d["title"], "link": d["url"], "date": d["published"], "snippet": d["text"]} for d in run.docs]}}]
    if style == "markdown":
        return [{"tool": "fetch_page", "args": {"url": d["url"]},
                 "result": f"# {d['title']}\n\nSource: {d['url']}\nDate: {d['published']}\n\n{d['text']}\n"} for d in run.docs]
    return [{"tool": run.tool, "args": {"query": run.question + " " + "again" * i},
             "result": {"url": d["url"], "date": d["published"], "text": d["text"]}} for i, d in enumerate(run.docs)]


PRICE = ["The {s} costs {v}.", "The {s} is priced at {v}.", "Price of the {s}: {v}.", "The {s} sells for {v}."]
REV = ["{s} reported revenue of {v} for {y}.", "In {y}, {s} had revenue of {v}.", "Revenue at {s} was {v} in {y}."]
POP = ["{s} has {v} inhabitants.", "The population of {s} is {v}.", "{v} people live in {s}."]


def same_value_two_docs():
    r = Run("same"); s = R.choice(PRODUCTS); v = odd(203, 4999)
    a, b = R.sample(PRICE, 2)
    forms = [f"${v}", f"${v:,}", f"{v} dollars", f"USD {v:,}"]
    d = [r.doc(a.format(s=s, v=R.choice(forms))), r.doc(b.format(s=s, v=R.choice(forms)))]
    r.distract()
    r.question = f"How much is the {s}?"
    r.answer = f"The {s} costs {r.value(f'${v:,}', 'carried', d)}."
    return r


def rounded():
    r = Run("rounded"); s = R.choice(COMPANIES); y = rnd(2019, 2025)
    if R.random() < .5:
        v = D(odd(10111, 98999)) / 100
        d = r.doc(R.choice(REV).format(s=s, v=f"${v} million", y=y))
        shown = f"${fmt(v)} million"
    else:
        v = odd(1010111, 9898999)
        d = r.doc(R.choice(POP).format(s=(s := R.choice(CITIES)), v=f"{v:,}"))
        shown = f"{fmt(D(v) / 1000000, 2)} million"
    r.distract()
    r.question = f"What is the figure for {s}?"
    if shown.startswith("$"):
        r.answer = f"{s} had revenue of about {r.value(shown, 'derived', [d])} in {r.value(str(y), 'carried', [d])}."
    else:
        r.answer = f"{s} has about {r.value(shown, 'derived', [d])} inhabitants."
    return r


CONV = [
    ("km", "miles", D("0.621371"), 0, "The river {s} is {v} km long.", "The {s} is {w} miles long."),
    ("kg", "pounds", D("2.20462"), 0, "The bell of {s} weighs {v} kg.", "The bell of {s} weighs {w} pounds."),
    ("m", "feet", D("3.28084"), 0, "The dam at {s} is {v} m high.", "The dam at {s} is {w} feet high."),
    ("hours", "minutes", D(60), 0, "The ferry to {s} takes {v} hours.", "The ferry to {s} takes {w} minutes."),
    ("tonnes", "kg", D(1000), 0, "The statue in {s} weighs {v} tonnes.", "The statue in {s} weighs {w} kg."),
    ("km", "m", D(1000), 0, "The tunnel at {s} is {v} km long.", "The tunnel at {s} is {w} m long."),
    ("GB", "MB", D(1000), 0, "The map of {s} is a file of {v} GB.", "The map of {s} is a file of {w} MB."),
]


def converted():
    r = Run("converted"); s = R.choice(RIVERS)
    a, b, k, p, doc, ans = R.choice(CONV)
    v = D(odd(113, 989)) if a not in ("hours", "GB", "tonnes") else D(odd(21, 97)) / 10
    d = r.doc(doc.format(s=s, v=v))
    r.distract()
    r.question = f"What is the figure for the {s}, in {b}?"
    w = fmt(v * k, p)
    r.answer = ans.format(s=s, w="@").replace(f"@ {b}", r.value(f"{w} {b}", "derived", [d]))
    return r


def one_step():
    r = Run("one"); op = R.choice(["sum", "difference", "change", "product", "share"])
    a, b = odd(211, 998), odd(1011, 4998)
    p, q = R.sample(PRODUCTS, 2)
    c = R.choice(COMPANIES)
    if op in ("sum", "difference"):
        d1, d2 = r.doc(R.choice(PRICE).format(s=p, v=f"${a}")), r.doc(R.choice(PRICE).format(s=q, v=f"${b:,}"))
        n = a + b if op == "sum" else b - a
        r.question = f"How do the prices of the {p} and the {q} compare, and what is the {op}?"
        x, y = r.value(f"${a}", "carried", [d1]), r.value(f"${b:,}", "carried", [d2])
        z = r.value(f"${n:,}", "derived", [d1, d2])
        r.answer = f"The {p} costs {x} and the {q} {y}: " + (f"together {z}." if op == "sum" else f"a difference of {z}.")
    elif op == "change":
        d1 = r.doc(f"{c} employed {a} people in 2022.", date="2023-02-11")
        d2 = r.doc(f"{c} employed {b:,} people in 2024.", date="2025-02-11")
        n = fmt(D(b - a) * 100 / D(a), 1)
        r.question = f"By how much did the staff of {c} grow?"
        r.answer = (f"{c} grew from {r.value(str(a), 'carried', [d1])} to {r.value(f'{b:,}', 'carried', [d2])} people, "
                    f"a rise of {r.value(f'{n}%', 'derived', [d1, d2])}.")
    elif op == "product":
        k = rnd(13, 48)
        d = r.doc(R.choice(PRICE).format(s=p, v=f"${a}"))
        r.question = f"What do {k} units of the {p} cost?"
        r.answer = f"At {r.value(f'${a}', 'carried', [d])} each, they cost {r.value(f'${a * k:,}', 'derived', [d])}."
    else:
        d1, d2 = r.doc(f"{c} has {b:,} customers."), r.doc(f"Of the customers of {c}, {a} chose the yearly plan.")
        r.question = f"Which share of the customers of {c} took the yearly plan?"
        n = fmt(D(a) * 100 / D(b), 1)
        r.answer = f"{r.value(f'{n}%', 'derived', [d1, d2])} of the customers of {c} took the yearly plan."
    r.distract()
    return r


def two_steps():
    r = Run("two"); op = R.choice(["sum3", "mean3", "product_sum", "rate"])
    p = R.sample(PRODUCTS, 3)
    v = [odd(211, 998), odd(1011, 4998), odd(111, 499)]
    d = [r.doc(R.choice(PRICE).format(s=s, v=f"${x:,}")) for s, x in zip(p, v)]
    shown = [r.value(f"${x:,}", "carried", [y]) for x, y in zip(v, d)] if op != "rate" else []
    lst = ", ".join(f"the {s} {x}" for s, x in zip(p, shown))
    if op == "sum3":
        r.question = f"What do the {p[0]}, the {p[1]} and the {p[2]} cost in total?"
        r.answer = f"Prices: {lst}. In total {r.value(f'${sum(v):,}', 'derived', d)}."
    elif op == "mean3":
        r.question = f"What is the average price of the {p[0]}, the {p[1]} and the {p[2]}?"
        r.answer = f"Prices: {lst}. On average {r.value('$' + fmt(D(sum(v)) / 3, 2), 'derived', d)}."
    elif op == "product_sum":
        k = rnd(3, 9)
        r.question = f"What do {k} of the {p[0]} and one {p[1]} cost, and what is the price of the {p[2]}?"
        r.answer = f"Prices: {lst}. The order of {r.value(str(k), 'carried', [], True)} and one comes to {r.value(f'${v[0] * k + v[1]:,}', 'derived', d[:2])}."
    else:
        rate = D(odd(7011, 9789)) / 10000
        d3 = r.doc(f"One US dollar buys {rate} euros.", title="Exchange rate")
        n = fmt(D(v[0] + v[1]) * rate, 2)
        a, b = r.value(f"${v[0]:,}", "carried", [d[0]]), r.value(f"${v[1]:,}", "carried", [d[1]])
        r.question = f"What do the {p[0]} and the {p[1]} cost together in euros?"
        r.answer = (f"The {p[0]} costs {a}, the {p[1]} {b}; at a rate of {r.value(str(rate), 'carried', [d3])} "
                    f"that is {r.value(f'{n} euros', 'derived', [d[0], d[1], d3])}.")
    r.distract()
    return r


def zh_to_en():
    r = Run("zhen"); c = R.choice(ZH_COMPANIES); y = rnd(2019, 2025); q = rnd(1, 4)
    v = D(odd(1011, 9989)) / 100
    pc = D(odd(21, 398)) / 10
    d = r.doc(f"{c}{y}年第{'一二三四'[q-1]}季度营收为{v}亿美元，同比增长{pc}%。", filler=False, title=c)
    r.doc(f"{R.choice(ZH_COMPANIES)}食堂新增{odd(203, 978)}个座位。", filler=False, title="新闻")
    r.question = f"What was the revenue of {c} in Q{q} {y}?"
    m = v * 100
    shown = f"${m.normalize():,f} million" if R.random() < .5 else f"${(m / 1000).normalize():f} billion"
    r.answer = (f"Revenue in {r.value(f'Q{q} {y}', 'carried', [d])} was {r.value(shown, 'carried', [d])}, "
                f"up {r.value(f'{pc}%', 'carried', [d])}.")
    return r


def en_to_zh():
    r = Run("enzh"); r.lang = "zh"; c = R.choice(COMPANIES); y, m, day = rnd(2019, 2025), rnd(1, 12), rnd(10, 28)
    months = "January February March April May June July August September October November December".split()
    v = D(odd(10111, 98999)) / 10
    w = rnd(13, 97)
    d = r.doc(f"On {months[m-1]} {day}, {y}, {c} bought a plant for ${v} million. The plant has {w} machines.", filler=False)
    r.doc(f"{R.choice(COMPANIES)} opened a canteen for {odd(203, 978)} people.", filler=False)
    r.question = f"{c}什么时候买的工厂，花了多少钱？"
    shown = f"{(v / 100).normalize():f}亿美元"
    r.answer = f"{c}于{r.value(f'{y}年{m}月{day}日', 'carried', [d])}以{r.value(shown, 'carried', [d])}购入工厂，工厂有{r.value(f'{w}台', 'carried', [d])}机器。"
    return r


def zh_zh():
    r = Run("zhzh"); r.lang = "zh"; s, t = R.sample(ZH_PRODUCTS, 2)
    a, b = odd(1011, 2998), odd(3011, 6998)
    d1 = r.doc(f"{s}官方售价{a}元，支持七天退货。", filler=False, title=s)
    d2 = r.doc(f"{t}目前卖{b}元。", filler=False, title=t)
    r.question = f"{s}和{t}一共多少钱？"
    r.answer = f"{s}{r.value(f'{a}元', 'carried', [d1])}，{t}{r.value(f'{b:,}元', 'carried', [d2])}，合计{r.value(f'{a+b}元', 'derived', [d1, d2])}。"
    return r


def irrelevant_place():
    """The true value also occurs where it means something else."""
    r = Run("elsewhere"); s = R.choice(PRODUCTS); v = odd(203, 989); c = R.choice(COMPANIES)
    d = r.doc(R.choice(PRICE).format(s=s, v=f"${v}"), filler=False)
    r.doc(R.choice([f"{c} repaired {v} wagons last winter.", f"The {c} building has {v} windows.",
                    f"Bus {v} stops in front of {c}.", f"{c} paid a fine of ${v} for a late form."]), filler=False)
    r.distract()
    r.question = f"How much is the {s}?"
    r.answer = f"The {s} costs {r.value(f'${v}', 'carried', [d])}."
    return r


def unsupported():
    r = Run("unsupported"); s, other = R.sample(PRODUCTS, 2)
    v, w = odd(203, 4989), rnd(61, 97)
    d = r.doc(R.choice(PRICE).format(s=s, v=f"${v:,}"))
    r.distract()
    kind = rnd(0, 3)
    shown = r.value(f"${v:,}", "carried", [d])
    r.question = f"How much is the {s}, and what else is known of it?"
    if kind == 0:
        r.answer = f"The {s} costs {shown} and comes with a battery of {r.value(f'{w} hours', 'unsupported')}."
    elif kind == 1:
        r.answer = f"The {s} costs {shown}. It was introduced in {r.value(str(rnd(1961, 1999)), 'unsupported')}."
    elif kind == 2:
        r.answer = f"The {s} costs {shown}, and {r.value(f'{D(odd(611, 989)) / 10}%', 'unsupported')} of the owners recommend it."
    else:
        r.answer = f"The {s} costs {shown}; about {r.value(f'{odd(110111, 989898):,}', 'unsupported')} units were made."
    return r


def contradicted():
    r = Run("contradicted")
    kind = rnd(0, 3)
    if kind == 0:
        s = R.choice(PRODUCTS); v = odd(203, 989); w = v + odd(31, 187)
        r.doc(R.choice(PRICE).format(s=s, v=f"${v}"))
        r.question = f"How much is the {s}?"
        r.answer = f"The {s} costs {r.value(f'${w}', 'contradicted')}."
    elif kind == 1:
        s = R.choice(CITIES); v = odd(101111, 989898); w = v + odd(11111, 44444)
        r.doc(R.choice(POP).format(s=s, v=f"{v:,}"))
        r.question = f"How many people live in {s}?"
        r.answer = R.choice(["{s} has {w} inhabitants.", "The population of {s} is {w}."]).format(s=s, w=r.value(f"{w:,}", "contradicted"))
    elif kind == 2:
        s = R.choice(COMPANIES); y = rnd(2019, 2025); v = odd(211, 989); w = v + odd(31, 97)
        d = r.doc(R.choice(REV).format(s=s, v=f"${v} million", y=y))
        r.question = f"What was the revenue of {s} in {y}?"
        r.answer = f"In {r.value(str(y), 'carried', [d])}, revenue of {s} was {r.value(f'${w} million', 'contradicted')}."
    else:
        s = R.choice(COMPANIES); y = rnd(1911, 1989)
        r.doc(f"{s} was founded in {y}.")
        r.question = f"When was {s} founded?"
        r.answer = f"{s} was founded in {r.value(str(y + rnd(3, 9)), 'contradicted')}."
    for _ in range(2):
        r.doc(f"{R.choice(COMPANIES)} planted a garden behind the station.", filler=True)
    return r


def unknown():
    """The tool's content was cut before the part that may have carried the value."""
    r = Run("unknown"); r.cut = True
    s = R.choice(PRODUCTS); v = odd(203, 989)
    d = r.doc(R.choice(PRICE).format(s=s, v=f"${v}"), filler=False)
    r.doc(f"A test of the {s}: we used it for weeks and", filler=False)
    r.question = f"How much is the {s}, and what does it weigh?"
    r.answer = f"The {s} costs {r.value(f'${v}', 'carried', [d])} and weighs {r.value(f'{D(odd(211, 989)) / 100} kg', 'unknown')}."
    return r


def given():
    r = Run("given"); s = R.choice(PRODUCTS); budget = odd(5011, 9989); v = odd(203, 4989)
    d = r.doc(R.choice(PRICE).format(s=s, v=f"${v:,}"))
    r.distract()
    r.question = f"My budget is {budget} dollars. Can I buy the {s}?"
    r.answer = f"Yes: the {s} costs {r.value(f'${v:,}', 'carried', [d])}, which is within your budget of {r.value(f'${budget:,}', 'carried', [], True)}."
    return r


KINDS = [same_value_two_docs, rounded, converted, one_step, two_steps, zh_to_en, en_to_zh, zh_zh,
         irrelevant_place, unsupported, contradicted, unknown, given]


def main():
    out = open(sys.argv[1] if len(sys.argv) > 1 else "answers.jsonl", "w", encoding="utf-8")
    n = 0
    for i in range(45):
        for k in KINDS:
            r = k()
            steps = shape(r)
            if r.cut:
                steps[-1]["cut"] = True
            n += 1
            out.write(json.dumps({"id": f"{r.kind}-{i}", "question": r.question, "steps": steps, "answer": r.answer,
                                  "values": r.values}, ensure_ascii=False) + "\n")
    print(n, "answers")


main()
