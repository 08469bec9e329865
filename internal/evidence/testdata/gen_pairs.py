#!/usr/bin/env python3
"""Writes conflicts.jsonl, stale.jsonl and echoes.jsonl: labelled pairs.

conflicts: two texts; `conflict` is true where both speak of one subject, one
    attribute and one time or variant, and their values cannot both be right.
    Rounding, conversion and other words for the same value are no conflict.
stale: a question, its date, an observation with its date; `stale` is true
    where the question asks for a state of affairs at a time (now, if it says
    so) that the observation cannot speak for because it is too old: its date,
    or the date its text gives for itself, lies before the period asked for;
    or more than a year back where the latest or current state is asked for,
    more than a month where today's is; or the text says that it is outdated.
    A question about the past, or about what does not change, makes nothing stale.
echoes: two texts; `echo` is true where one was copied from the other or both
    from one origin, with light editing (a value changed, words swapped, a
    sentence dropped, a line put before it). Two texts that were written
    independently about the same matter are no echo.

The label is decided first and the text written from it. Seeded.
"""
import json
import random

R = random.Random(41)

# attribute -> (how a value is drawn, how it is written in other ways, phrasings)
NAMES = ["Corvid 5", "Halden Kettle", "Brisa X2", "Tarn 300", "Lumo Lamp", "Kestrel Mini", "Petra Stove", "Quill Reader"]
FIRMS = ["Arbor Foods", "Delmar Shipping", "Fenwick Bank", "Helio Energy", "Ironbridge Steel", "Kelvin Motors"]
TOWNS = ["Aldermoor", "Bellport", "Castra", "Dunmore", "Eastvale", "Gravina"]
PEOPLE = ["Anna Berg", "Luis Ortega", "Mei Tan", "Omar Haddad", "Paula Kern", "Ivan Petrov", "Sofia Rossi"]
FILL = ["Deals are rare.", "The page was updated by the editors.", "Readers liked it.", "More details follow below.",
        "Free delivery is included.", "Our staff wrote this overview.", ""]


def money(v):
    return [f"${v:,}", f"${v}", f"{v} dollars", f"US${v:,}"]


def millions(v):
    return [f"${v} million", f"${v}m", f"{v} million dollars", f"US${v} million"]


def count(v):
    return [f"{v:,}", f"{v}"]


ATTR = {
    "price": (NAMES, lambda: R.randint(203, 1999), money,
              ["The {s} costs {v}.", "Price of the {s}: {v}.", "The {s} is priced at {v}.", "The {s} sells for {v}.",
               "You can buy the {s} for {v}.", "{s} | price | {v}"]),
    "revenue": (FIRMS, lambda: R.randint(103, 989), millions,
                ["{s} reported revenue of {v} in 2023.", "In 2023 {s} had revenue of {v}.", "Revenue of {s} for 2023: {v}.",
                 "{s} posted 2023 sales of {v}."]),
    "staff": (FIRMS, lambda: R.randint(1103, 9989), count,
              ["{s} has {v} employees.", "{s} employs {v} people.", "Number of employees at {s}: {v}.", "{v} people work for {s}."]),
    "population": (TOWNS, lambda: R.randint(20103, 98989), count,
                   ["{s} has a population of {v}.", "{s} has {v} inhabitants.", "The population of {s} is {v}.", "{v} people live in {s}."]),
    "battery": (NAMES, lambda: R.randint(6, 29), lambda v: [f"{v} hours", f"{v} h", f"{v}-hour"][:2],
                ["The battery of the {s} lasts {v}.", "Battery life of the {s}: {v}.", "The {s} runs for {v} on one battery charge."]),
    "weight": (NAMES, lambda: R.randint(203, 989), lambda v: [f"{v} g", f"{v} grams"],
               ["The {s} weighs {v}.", "Weight of the {s}: {v}.", "At {v}, the {s} is light in weight."]),
    "growth": (FIRMS, lambda: R.randint(3, 48), lambda v: [f"{v}%", f"{v} percent", f"{v} per cent"],
               ["{s} grew {v} in 2024.", "Growth at {s} was {v} in 2024.", "In 2024, {s} recorded growth of {v}."]),
    "founded": (FIRMS, lambda: R.randint(1871, 1999), lambda v: [str(v)],
                ["{s} was founded in {v}.", "Founded in {v}, {s} is a family firm.", "{s} (founded {v})"]),
    "opens": (TOWNS, lambda: (R.randint(10, 28), R.choice(["March", "May", "June", "October"])),
              lambda v: [f"{v[0]} {v[1]} 2027", f"{v[1]} {v[0]}, 2027"],
              ["The {s} museum opens on {v}.", "Opening date of the {s} museum: {v}.", "On {v} the {s} museum will open."]),
    "ceo": (FIRMS, lambda: R.choice(PEOPLE), lambda v: [v],
            ["The CEO of {s} is {v}.", "{v} is the CEO of {s}.", "{s} is led by CEO {v}."]),
    "storage": (NAMES, lambda: R.choice([64, 128, 256, 512]), lambda v: [f"{v} GB", f"{v}GB"],
                ["The {s} has {v} of storage.", "Storage of the {s}: {v}.", "The {s} comes with {v} storage."]),
}
ZH = {
    "price": (["灵雀耳机", "云杉平板", "飞鸿手表", "墨竹阅读器"], lambda: R.randint(203, 4999), lambda v: [f"{v}元", f"人民币{v}元", f"{v:,}元"],
              ["{s}售价{v}。", "{s}的价格为{v}。", "{s}卖{v}。"]),
    "revenue": (["远山科技", "海川物流", "明湖食品", "青岭能源"], lambda: R.randint(103, 989) / 10, lambda v: [f"{v}亿元", f"人民币{v}亿元"],
                ["2023年{s}营收为{v}。", "{s}2023年营业收入{v}。"]),
    "staff": (["远山科技", "海川物流", "明湖食品", "青岭能源"], lambda: R.randint(1103, 9989), lambda v: [f"{v}人", f"{v}名员工"][:1],
              ["{s}有员工{v}。", "{s}的员工人数为{v}。"]),
}


def say(attr, subject, value, table=ATTR):
    _, _, forms, phr = table[attr]
    text = R.choice(phr).format(s=subject, v=R.choice(forms(value)))
    if table is ATTR and R.random() < .5:
        text += " " + R.choice(FILL)
    return text.strip()


def distinct(draw, v):
    while (w := draw()) == v:
        pass
    return w


def conflicts():
    out = []

    def add(a, b, label, why):
        if R.random() < .5:
            a, b = b, a
        out.append({"a": a, "b": b, "conflict": label, "why": why})

    for attr, (subjects, draw, forms, _) in ATTR.items():
        for _ in range(11):
            s, v = R.choice(subjects), draw()
            add(say(attr, s, v), say(attr, s, distinct(draw, v)), True, f"{attr} differs")
        for _ in range(5):
            s, v = R.choice(subjects), draw()
            add(say(attr, s, v), say(attr, s, v), False, "same value in other words")
            t = R.choice([x for x in subjects if x != s])
            add(say(attr, s, v), say(attr, t, distinct(draw, v)), False, "another subject")
    for attr, (subjects, draw, forms, _) in ZH.items():
        for _ in range(8):
            s, v = R.choice(subjects), draw()
            add(say(attr, s, v, ZH), say(attr, s, distinct(draw, v), ZH), True, f"zh {attr} differs")
        for _ in range(4):
            s, v = R.choice(subjects), draw()
            add(say(attr, s, v, ZH), say(attr, s, v, ZH), False, "zh same value")
            t = R.choice([x for x in subjects if x != s])
            add(say(attr, s, v, ZH), say(attr, t, distinct(draw, v), ZH), False, "zh another subject")
    for _ in range(8):
        s = R.choice(FIRMS)
        a, b = R.randint(103, 500), R.randint(501, 989)
        add(f"{s} reported revenue of ${a} million in 2022.", f"{s} reported revenue of ${b} million in 2023.", False, "another year")
        add(f"Revenue of {s} in Q1 2024 was ${a}m.", f"Revenue of {s} in Q2 2024 was ${b}m.", False, "another quarter")
        add(f"{s} had revenue of ${a} million in 2023.", f"{s} made a profit of ${R.randint(11, 99)} million in 2023.", False, "another attribute")
        add(f"{s} has {a} employees.", f"{s} has {b} shops.", False, "another thing counted")
        n = R.choice(NAMES)
        add(f"The {n} costs ${a}.", f"A repair of the {n} costs ${b}.", False, "another thing priced")
        add(f"The {n} with 128 GB costs ${a}.", f"The {n} with 256 GB costs ${b}.", False, "another variant")
        add(f"The {n} weighs {a} g.", f"The {n} has a battery of {b} hours.", False, "another attribute")
        x = R.randint(11, 98) + R.randint(11, 99) / 100
        add(f"{s} reported revenue of ${x} million in 2023.", f"In 2023 {s} had revenue of about ${round(x)} million.", False, "rounded")
        kg = R.randint(2, 9) * 1000
        add(f"The {n} weighs {kg} g.", f"The {n} weighs {kg // 1000} kg.", False, "converted")
    for _ in range(4):
        t = R.choice(TOWNS)
        v = R.randint(20103, 98989)
        add(f"The population of {t} is {v:,}.", f"{t} has about {round(v / 1000)} thousand inhabitants.", False, "rounded")
        add(f"{t} lies {R.randint(11, 98)} km from the sea.", f"{t} has {R.randint(3, 9)} schools.", False, "nothing in common but the place")
    # Written by hand: entity, polarity and date clashes, and texts that only look alike.
    for a, b, label in [
        ("The capital of Ostania is Verrin.", "The capital of Ostania is Kaldor.", True),
        ("The Orla flows into the Baltic Sea.", "The Orla is popular with anglers.", False),
        ("The bridge was opened in June 1932.", "The bridge was opened in July 1932.", True),
        ("Flight QX 210 departs at 14:05.", "Flight QX 210 departs at 15:40.", True),
        ("Flight QX 210 departs at 14:05.", "Flight QX 211 departs at 15:40.", False),
        ("The maximum dose is 40 mg per day.", "The maximum dose is 400 mg per day.", True),
        ("The maximum dose for adults is 40 mg.", "The maximum dose for children is 10 mg.", False),
        ("Build 1873 passed with 412 tests.", "Build 1873 passed with 398 tests.", True),
        ("The deposit is refunded within 14 days.", "The deposit is refunded within 30 days.", True),
        ("The deposit is refunded within 14 days.", "The order is shipped within 3 days.", False),
        ("Version 4.2 is the latest release of Tarnix.", "The latest release of Tarnix is version 5.0.", True),
        ("Version 4.2 of Tarnix fixed 12 bugs.", "Version 5.0 of Tarnix fixed 31 bugs.", False),
        ("Mount Serra is 2,310 m high.", "Mount Serra rises to 2,130 metres.", True),
        ("Mount Serra is 2,310 m high.", "Mount Serra was first climbed in 1871.", False),
        ("The interest rate was cut to 3.75%.", "The interest rate was cut to 3.5%.", True),
        ("The interest rate was cut by 0.25 points to 3.75%.", "The interest rate was cut to 3.75%.", False),
        ("The fund charges a fee of 0.4%.", "The fund returned 7.1% last year.", False),
        ("Dr. Weiss wrote the study in 2015.", "Dr. Weiss wrote the study in 2018.", True),
        ("The hotel has 120 rooms and 2 pools.", "The hotel has 120 rooms.", False),
        ("The hotel has 120 rooms.", "The hotel has 86 rooms.", True),
        ("Between 40 and 60 people came to the vigil.", "50 people came to the vigil.", False),
        ("会议于3月5日举行。", "会议于3月8日举行。", True),
        ("会议于2024年举行。", "会议于2024年3月5日举行。", False),
        ("最大剂量为每日40毫克。", "最大剂量为每日400毫克。", True),
    ]:
        out.append({"a": a, "b": b, "conflict": label, "why": "by hand"})
    return out


def stale():
    out = []

    def add(q, on, text, date, label, why):
        out.append({"question": q, "asked": on, "text": text, "date": date, "stale": label, "why": why})

    now_en = ["What is the latest version of {s}?", "What is the current price of {s}?", "Who is the current head of {s}?",
              "What does {s} cost now?", "What is the newest release of {s}?", "What is the most recent figure for {s}?"]
    day_en = ["What is the exchange rate of {s} today?", "What is the share price of {s} right now?", "What is the weather like today at {s}?"]
    now_zh = ["{s}目前的价格是多少？", "{s}最新版本是什么？", "现在{s}的负责人是谁？", "{s}当前的费率是多少？"]
    past = ["What did {s} cost in 2015?", "Who founded {s}?", "Where is {s} located?", "How was {s} built?", "{s}是谁创立的？",
            "What happened at {s} in 2012?", "Which river flows past {s}?"]
    subj = NAMES + FIRMS + TOWNS
    text = ["{s}: the figure is {n}.", "According to the site, {s} stands at {n}.", "{s} is listed at {n}.", "The page on {s} gives {n}."]

    def body(s):
        return R.choice(text).format(s=s, n=R.randint(203, 998))

    def date(y):
        return R.choice([f"{y}-{R.randint(1,12):02d}-{R.randint(10,28)}", f"{R.randint(10,28)} {R.choice(['March','July','October'])} {y}",
                         f"{y}年{R.randint(1,12)}月{R.randint(10,28)}日", f"{y}-{R.randint(1,12):02d}-{R.randint(10,28)}T08:00:00Z"])
    for _ in range(34):
        s = R.choice(subj)
        q = R.choice(now_en + now_zh).format(s=s)
        add(q, "2026-11-30", body(s), date(R.randint(2012, 2024)), True, "years old, and the present is asked for")
        add(q, "2026-11-30", body(s), f"2026-{R.randint(3,11):02d}-{R.randint(10,28)}", False, "of this year")
    for _ in range(16):
        s = R.choice(subj)
        q = R.choice(day_en).format(s=s)
        add(q, "2026-11-30", body(s), f"2026-{R.randint(2,8):02d}-{R.randint(10,28)}", True, "months old, and today is asked for")
        add(q, "2026-11-30", body(s), f"2026-11-{R.randint(26,30)}", False, "of this week")
    for _ in range(34):
        s = R.choice(subj)
        add(R.choice(past).format(s=s), "2026-11-30", body(s), date(R.randint(2013, 2023)), False, "the question is not about the present")
    for _ in range(12):
        s, y = R.choice(FIRMS), R.randint(2021, 2025)
        add(f"What was the revenue of {s} in {y}?", "2026-11-30", f"{s} expects good revenue.", date(y - R.randint(1, 4)), True, "before the period asked for")
        add(f"What was the revenue of {s} in {y}?", "2026-11-30", f"{s} reported revenue of ${R.randint(103,989)} million.", f"{y + 1}-02-{R.randint(10,28)}", False, "after the period")
        q = R.randint(1, 4)
        add(f"{s}{y}年第{'一二三四'[q-1]}季度营收是多少？", "2026-11-30", f"{s}公布了营收。", f"{y - 1}-0{R.randint(1,9)}-15", True, "before the quarter")
    for _ in range(14):
        s = R.choice(subj)
        add(R.choice(now_en).format(s=s), "2026-11-30", f"As of {R.choice(['March', 'June'])} {R.randint(2014, 2022)}, {body(s)}", f"2026-{R.randint(3,11):02d}-14", True, "new stamp, old body")
        add(R.choice(now_en).format(s=s), "2026-11-30", f"As of {R.choice(['March', 'June'])} 2026, {body(s)}", "", False, "as of this year")
        add(R.choice(now_en).format(s=s), "2026-11-30", body(s), "", False, "no date: cannot be known")
    for t in ["This page is outdated. {b}", "{b} This article has been superseded by a newer version.", "[Retracted] {b}", "本文已过期。{b}",
              "{b} This notice is no longer valid."]:
        for _ in range(3):
            s = R.choice(subj)
            add(R.choice(now_en).format(s=s), "2026-11-30", t.format(b=body(s)), "2026-10-12", True, "says so itself")
    return out


BASE = [
    "The Corvid 5 is a compact camera with a bright lens and a quiet shutter. Testers praised its battery, which lasted 11 hours, and criticised the small grip. It costs $749 and ships in two colours.",
    "Arbor Foods closed its oldest mill on Monday after a fire damaged the roof. No one was hurt, and the company expects to reopen the building within six weeks, a spokeswoman told reporters.",
    "The harbour of Bellport was dredged last spring to make room for larger ferries. The work cost $4.2 million and was paid for by the region, which hopes for more visitors in the summer season.",
    "Scientists have found a new species of beetle in the cloud forests above Gravina. The insect is only 3 mm long, lives under moss, and may help farmers to control a pest of coffee plants.",
    "Fenwick Bank raised its rate for savings to 3.1 percent, the second rise this year. Customers with more than $10,000 on their accounts receive the new rate from the first of next month.",
    "The Kestrel Mini drone weighs less than 250 g and needs no licence in most countries. Its camera records for 31 minutes, and a sensor stops it before it hits trees or walls.",
    "A study of 412 patients found that a short walk after dinner lowers blood sugar. The effect was strongest in people over 60, the authors write, and needs no more than fifteen minutes a day.",
    "Helio Energy will build a solar park of 600 hectares near Castra. The plant is to supply 80,000 homes from 2028 on, but neighbours fear for the view and have gone to court.",
    "To reset the Quill Reader, hold the power button for ten seconds and choose Reset from the menu. Books that you bought stay in your account and can be loaded again at any time.",
    "The old theatre of Dunmore reopens with a play about the flood of 1911. Tickets start at $18, and the first three evenings are already sold out, according to the box office.",
]
ZH_BASE = [
    "灵雀耳机采用全新的降噪芯片,续航时间约为三十小时,官方售价为八百九十九元,本月起在各大商城同步发售,首批用户可以获得保护套一个。",
    "远山科技昨日宣布在青岭建设新的数据中心,总投资约十二亿元,预计明年年底完工,届时将为当地提供三百多个工作岗位。",
    "研究人员在云雾森林中发现了一种新的甲虫,它的身长只有三毫米,生活在苔藓下面,可能有助于防治咖啡树的虫害。",
    "海川物流的新仓库昨天正式启用,每天可以处理八万件包裹,比原来的仓库快了一倍,公司计划明年再建两座。",
]
INDEPENDENT = [
    ("Reviewers like the pictures that the Corvid 5 takes, though many find it hard to hold. At $749 it is not cheap.", 0),
    ("Fire broke out at a mill of Arbor Foods at the start of the week; work there is to start again in a month and a half.", 1),
    ("Bigger ships can now call at Bellport, since the region spent $4.2 million on deepening its port.", 2),
    ("In mountain woods near Gravina, a beetle of 3 mm was discovered that eats an enemy of coffee.", 3),
    ("Savers at Fenwick Bank get 3.1 percent from next month if they hold at least $10,000.", 4),
    ("You may fly the Kestrel Mini without a licence: the drone is lighter than 250 g and films for half an hour.", 5),
    ("Going for a walk in the evening helps against high blood sugar, above all for the elderly, 412 volunteers showed.", 6),
    ("Residents of Castra are suing over a plan for 600 hectares of solar panels by Helio Energy.", 7),
    ("Press the power key of your Quill Reader until a menu shows up; a reset does not delete purchases.", 8),
    ("With a drama on the flood of 1911 and seats from $18, Dunmore gets its playhouse back.", 9),
]
SWAP = {"compact": "small", "bright": "fast", "last": "this", "expects": "hopes", "larger": "bigger", "found": "discovered", "raised": "increased",
        "needs": "requires", "short": "brief", "build": "construct", "hold": "press", "old": "historic", "more": "further", "new": "fresh"}


def edit(text, zh):
    ops = R.sample(["value", "swap", "drop", "prefix", "tail", "case", "none"], 2)
    for op in ops:
        if op == "value":
            text = "".join(R.choice("123456789") if c.isdigit() and R.random() < .4 else c for c in text)
        elif op == "swap" and not zh:
            text = " ".join(SWAP.get(w, w) for w in text.split(" "))
        elif op == "swap":
            text = text.replace("宣布", "表示").replace("新的", "全新").replace("可以", "能够")
        elif op == "drop" and not zh:
            text = " ".join(text.split(". ")[:-1]) + "." if text.count(". ") > 1 else text
        elif op == "prefix":
            text = ("据报道," if zh else R.choice(["According to reports: ", "(Update) ", "From our partner site. ", "Shared by a reader: "])) + text
        elif op == "tail":
            text += "更多内容请关注我们。" if zh else R.choice([" Read more on our site.", " Share this article.", " Sign up for news."])
        elif op == "case" and not zh:
            text = text.replace(",", "").replace("The ", "the ")
    return text


def echoes():
    out = []

    def add(a, b, label, why):
        if R.random() < .5:
            a, b = b, a
        out.append({"a": a, "b": b, "echo": label, "why": why})
    for t in BASE:
        for _ in range(8):
            add(edit(t, False), edit(t, False), True, "edited copies")
    for t in ZH_BASE:
        for _ in range(5):
            add(edit(t, True), edit(t, True), True, "edited copies, zh")
    for text, i in INDEPENDENT:
        for _ in range(5):
            add(text, edit(BASE[i], False), False, "written independently of the same matter")
    allt = [(t, False) for t in BASE] + [(t, True) for t in ZH_BASE]
    for _ in range(70):
        (a, za), (b, zb) = R.sample(allt, 2)
        add(edit(a, za), edit(b, zb), False, "other matter")
    return out


for name, rows in [("conflicts", conflicts()), ("stale", stale()), ("echoes", echoes())]:
    with open(name + ".jsonl", "w", encoding="utf-8") as f:
        for r in rows:
            f.write(json.dumps(r, ensure_ascii=False) + "\n")
    print(name, len(rows), sum(bool(r.get("conflict") or r.get("stale") or r.get("echo")) for r in rows))
