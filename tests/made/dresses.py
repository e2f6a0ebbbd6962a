"""Frames that pages stand in: a page of a few lines as a site would deliver it, with menus, lists and counters around.

hashed   names of elements made anew at every look, as style sheets written in scripts have them
long     below it a text of fifty paragraphs, in sections
tables   laid out by tables, links divided by line breaks
plain    nothing but `div`, with names that say nothing
named    nothing but `div`, each with a name of its own; the list below has no heading that tells it
centred  one column in a table, menu and list in a line each
nameless nothing but `div`, without any name, the side column first
"""

import random

RELATED = ["Ten gardens worth a detour", "How bread is baked in Naples", "The last lighthouse keeper",
           "A short history of zips", "Why cats purr", "The quietest room on earth", "What trees say", "Seven bridges",
           "Old maps", "The ferry at dawn"]  # fmt: skip
SLOGANS = ["Save 40% on mattresses today", "Best VPN deals compared", "Win a trip to Lisbon", "Try our coffee box"]
MENU = ["Home", "News", "Sport", "Culture", "Business", "Weather", "Travel", "Opinion", "Video", "Shop", "Jobs"]
WORDS = ["harbour", "council", "river", "market", "bridge", "school", "winter", "paper", "engine", "garden", "letter",
         "window", "signal", "copper", "meadow", "ticket"]  # fmt: skip


def hashed(main: str, look: int) -> str:
    rng = random.Random(look)

    def name() -> str:
        return f"css-{rng.getrandbits(24):06x}"

    related = "".join(
        f"<li class={name()}><a class={name()} href=/r/{n}>{text}</a>" for n, text in enumerate(rng.sample(RELATED, 5))
    )
    menu = "".join(f"<a class={name()} href=/{word}>{word}</a>" for word in MENU)
    return (
        f"<div class={name()}><div class={name()}><header class={name()}>{menu}</header><div class={name()}>"
        f"<div class={name()}><section class={name()}>{main}</section><section class={name()}><h3>More for you</h3>"
        f"<ul>{related}</ul></section></div></div><footer class={name()}>© 2026 Example Ltd</footer></div></div>"
    )


def long(main: str, look: int) -> str:
    rng, fixed = random.Random(look), random.Random(5)

    def paragraph() -> str:
        return " ".join(fixed.choice(WORDS) for _ in range(45)).capitalize() + "."

    text = "".join(
        f"<section><h2>{fixed.choice(WORDS).capitalize()} and {fixed.choice(WORDS)}</h2>"
        f"<p>{paragraph()}</p><p>{paragraph()}</p></section>"
        for _ in range(25)
    )
    related = "".join(f"<li><a href=/r/{n}>{text}</a>" for n, text in enumerate(rng.sample(RELATED, 5)))
    menu = "".join(f"<li><a href=/{word}>{word}</a>" for word in MENU)
    return (
        f"<nav><ul>{menu}</ul></nav><div id=content>{main}{text}</div><div id=side><ul>{related}</ul></div>"
        f"<footer>{1000 + 13 * look} visitors</footer>"
    )


def tables(main: str, look: int) -> str:
    rng = random.Random(look)
    related = "<br>".join(f"<a href=/r/{n}>{text}</a>" for n, text in enumerate(rng.sample(RELATED, 5)))
    menu = "".join(f"<tr><td><a href=/{word}>{word}</a></td></tr>" for word in MENU)
    return (
        "<table width=100%><tr><td colspan=3><img src=/logo.gif width=400 height=60></td></tr>"
        f"<tr><td width=150 valign=top><table>{menu}</table></td><td valign=top>{main}</td>"
        f"<td width=160 valign=top><b>Links</b><br>{related}<br><a href=/out?{look}>{rng.choice(SLOGANS)}</a></td></tr>"
        f"<tr><td colspan=3><font size=1>Visitors: {1000 + 13 * look}</font></td></tr></table>"
    )


def plain(main: str, look: int) -> str:
    rng = random.Random(look)
    related = "".join(f"<div class=it><a href=/r/{n}>{text}</a></div>" for n, text in enumerate(rng.sample(RELATED, 5)))
    menu = "".join(f"<div class=mi><a href=/{word}>{word}</a></div>" for word in MENU)
    return (
        f"<div id=root><div class=top>{menu}</div><div class=wrap><div class=col1>{main}</div><div class=col2>"
        f"<div class=box><div class=bt>You may also like</div>{related}</div><div class=box><a href=/out?{look}>"
        f"<img src=/img/{rng.randint(1, 99)}.jpg width=300 height=250></a><div>{rng.choice(SLOGANS)}</div></div></div>"
        f"</div><div class=bot><div>© 2026 Example Ltd. {1000 + 13 * look} visitors today.</div><div>Imprint</div>"
        "<div>Privacy</div></div></div>"
    )


def named(main: str, look: int) -> str:
    rng = random.Random(look)
    related = "".join(
        f"<div class=card><a href=/r/{n}>{text}</a><span>{rng.randint(1, 30)} min read</span></div>"
        for n, text in enumerate(rng.sample(RELATED, 4))
    )
    menu = "".join(f"<a href=/{word}>{word}</a>" for word in MENU)
    return (
        f"<div id=app><div class=topbar>{menu}<span>{rng.randint(1, 60)} online</span></div>"
        f"<div class=content>{main}</div><div class=discover><div class=t>Discover</div>{related}</div>"
        "<div class=legal>© 2026</div></div>"
    )


def centred(main: str, look: int) -> str:
    rng = random.Random(look)
    related = " | ".join(f"<a href=/r/{n}>{text}</a>" for n, text in enumerate(rng.sample(RELATED, 4)))
    menu = " - ".join(f"<a href=/{word}>{word}</a>" for word in MENU[:6])
    return (
        f"<center><a href=/out?{look}><img src=/b{look}.gif></a><br>{menu}<table width=600><tr><td>{main}</td></tr>"
        f"</table><hr>{related}<p><small>Last visit counted: {1000 + 13 * look}</small></center>"
    )


def nameless(main: str, look: int) -> str:
    rng = random.Random(look)
    related = "".join(f"<div><a href=/r/{n}>{text}</a></div>" for n, text in enumerate(rng.sample(RELATED, 4)))
    menu = " ".join(f"<a href=/{word}>{word}</a>" for word in MENU[:7])
    return (
        f"<div><div>{menu}</div><div><div><b>Most read</b>{related}</div><div>{main}</div></div>"
        f"<div>{rng.choice(SLOGANS)}</div><div>{1000 + 13 * look} visitors</div></div>"
    )


DRESSES = {
    "hashed": hashed,
    "long": long,
    "tables": tables,
    "plain": plain,
    "named": named,
    "centred": centred,
    "nameless": nameless,
}
