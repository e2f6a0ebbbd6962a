"""Front pages through time, in the markup of many systems and in six languages, with the truth of each look.

Each look either brings an item that was never there, or only rotates, counts, ticks and reorders. Headlines are put
together from few words, as real ones are: after some dozens of looks hardly a word is new. Written before the rules
were tried on them.
"""

# ruff: noqa: E501 - markup as systems write it, and the words of headlines

import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import NamedTuple

from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import study
from strandline.dom.data_documents import as_page
from strandline.dom.html import blocks

MIMES = {"json": "application/json", "xml": "application/rss+xml"}
WORDS = {
    "en": (
        "Council|Harbour office|Water board|Bishop|Rail union|School head|Judge|Mayor|Farmers|Fire brigade|Museum|Bus drivers|Minister|Coast guard|Bakers|Police|Hospital|Rowers",
        "delays vote on|opens|warns of|blames|wants more money for|closes|praises|sells|finds fault with|plans|gives up|sues over|doubles|halves|argues about|celebrates|saves|inspects",
        "old bridge|night ferry|market hall|new tram|reservoir|playing fields|town archive|fish quay|cycle path|swimming pool|grain store|choir school|wind farm|north gate|dairy|canal|bell tower|observatory",
    ),
    "de": (
        "Stadtrat|Hafenamt|Wasserverband|Bischof|Bahngewerkschaft|Rektorin|Gericht|Bürgermeister|Bauern|Feuerwehr|Museum|Busfahrer|Ministerin|Küstenwache|Bäcker|Polizei|Klinikum|Ruderclub",
        "streitet über|eröffnet|warnt vor|verklagt|fordert Geld für|schließt|lobt|verkauft|prüft|plant|verzichtet auf|beklagt|verdoppelt|halbiert|zweifelt an|feiert|rettet|besichtigt",
        "alte Brücke|Nachtfähre|Markthalle|neue Tram|Stausee|Sportplätze|Stadtarchiv|Fischkai|Radweg|Hallenbad|Kornspeicher|Chorschule|Windpark|Nordtor|Molkerei|Kanal|Glockenturm|Sternwarte",
    ),
    "fr": (
        "Le conseil|La capitainerie|Le syndicat des eaux|L'évêque|Les cheminots|La directrice|Le tribunal|Le maire|Les éleveurs|Les pompiers|Le musée|Les chauffeurs|La ministre|Les garde-côtes|Les boulangers|La police|L'hôpital|Le club d'aviron",
        "reporte|inaugure|craint pour|critique|finance|ferme|défend|vend|inspecte|prépare|abandonne|attaque|double|réduit|débat de|fête|sauve|visite",
        "le vieux pont|le bac de nuit|les halles|le tramway|le barrage|les stades|les archives|le quai aux poissons|la piste cyclable|la piscine|le silo|la maîtrise|le parc éolien|la porte nord|la laiterie|le canal|le clocher|l'observatoire",
    ),
    "es": (
        "El pleno|La capitanía|La junta del agua|El obispo|Los ferroviarios|La directora|El juez|El alcalde|Los ganaderos|Los bomberos|El museo|Los conductores|La ministra|Los guardacostas|Los panaderos|La policía|El hospital|El club de remo",
        "aplaza|inaugura|teme por|critica|financia|cierra|defiende|vende|revisa|prepara|abandona|demanda por|duplica|recorta|debate|celebra|salva|visita",
        "el puente viejo|el barco nocturno|la lonja|el tranvía|el embalse|los campos|el archivo|el muelle|el carril bici|la piscina|el silo|la escolanía|el parque eólico|la puerta norte|la lechería|el canal|el campanario|el observatorio",
    ),
    "it": (
        "Il consiglio|La capitaneria|Il consorzio idrico|Il vescovo|I ferrovieri|La preside|Il giudice|Il sindaco|Gli allevatori|I pompieri|Il museo|Gli autisti|La ministra|La guardia costiera|I fornai|La polizia|L'ospedale|I canottieri",
        "rinvia|inaugura|teme per|critica|finanzia|chiude|difende|vende|controlla|prepara|lascia|fa causa per|raddoppia|dimezza|discute di|festeggia|salva|visita",
        "il ponte vecchio|il traghetto|il mercato coperto|il tram|la diga|i campi|l'archivio|la banchina|la ciclabile|la piscina|il silo|la cantoria|il parco eolico|la porta nord|la latteria|il canale|il campanile|l'osservatorio",
    ),
    "nl": (
        "De raad|Het havenbedrijf|Het waterschap|De bisschop|De spoorbond|De rector|De rechter|De burgemeester|De boeren|De brandweer|Het museum|De chauffeurs|De minister|De kustwacht|De bakkers|De politie|Het ziekenhuis|De roeiers",
        "stelt uit:|opent|vreest voor|hekelt|betaalt voor|sluit|prijst|verkoopt|keurt|plant|verlaat|procedeert om|verdubbelt|halveert|twist over|viert|redt|bezoekt",
        "oude brug|nachtboot|markthal|nieuwe tram|stuwmeer|sportvelden|stadsarchief|viskade|fietspad|zwembad|graansilo|koorschool|windpark|noordpoort|melkfabriek|kanaal|klokkentoren|sterrenwacht",
    ),
}  # fmt: skip
AGES = {
    "en": ("{} min ago", "{}h ago", "{} days ago"),
    "de": ("vor {} Minuten", "vor {} Std.", "vor {} Tagen"),
    "fr": ("il y a {} min", "il y a {} h", "il y a {} jours"),
    "es": ("hace {} minutos", "hace {} h", "hace {} días"),
    "it": ("{} minuti fa", "{} ore fa", "{} giorni fa"),
    "nl": ("{} min. geleden", "{} uur geleden", "{} dagen geleden"),
}
READ = {
    "en": "Popular now",
    "de": "Beliebt",
    "fr": "Tendances",
    "es": "Tendencias",
    "it": "In evidenza",
    "nl": "Populair",
}
START = datetime(2026, 4, 7, 6, 20, tzinfo=UTC)


class Item(NamedTuple):
    """A story, a thread, a film, goods: what it is called, when it came, a number of its own."""

    title: str
    came: datetime
    number: int


class Look(NamedTuple):
    """The page at one look, when, and whether an item came since the look before."""

    page: str
    when: datetime
    news: bool


class Front:
    """A page and what happens to it: items come with a chance, everything else moves by itself."""

    def __init__(self, kind: str, language: str, seed: int) -> None:
        self.rng, self.language, self.numbers = random.Random(f"{kind}{seed}"), language, count(4100)
        self.parts = [half.split("|") for half in WORDS[language]]
        self.now, self.look, self.said = START, 0, set[str]()
        self.archive = [self.item(START - timedelta(days=3 * k + 4)) for k in range(40)]
        self.items = [self.item(START - timedelta(hours=2 * k + 1)) for k in range(30)]
        self.ads = [f"{self.title()[:24]} {k}" for k in range(9)]

    def title(self) -> str:
        """Words nobody put together so before."""
        while True:
            found = " ".join(self.rng.choice(words) for words in self.parts)
            if found not in self.said:
                self.said.add(found)
                return found

    def item(self, came: datetime) -> Item:
        """A new item."""
        return Item(self.title(), came, next(self.numbers))

    def age(self, item: Item) -> str:
        """How old an item is, as pages say it."""
        minutes = int((self.now - item.came).total_seconds() // 60)
        short, hours, days = AGES[self.language]
        if minutes < 60:
            return short.format(max(1, minutes))
        return hours.format(minutes // 60) if minutes < 2880 else days.format(minutes // 1440)

    def count(self, item: Item, pace: int = 3) -> int:
        """A counter that only grows."""
        return item.number % 50 + pace * self.look + self.rng.randint(0, pace)

    def token(self) -> str:
        """What is made anew at every look."""
        return f"{random.Random(f'{self.look}t').getrandbits(60):015x}"

    def pool(self, size: int, many: int) -> list[Item]:
        """Some old items, others at every look."""
        return self.rng.sample(self.archive[:size], many)


def newspaper(f: Front) -> str:
    """Sections, a strip of headlines in turn, what is popular, weather, advertising."""
    cards = "".join(
        f'<article class="c-teaser c-teaser--{"l" if k == 0 else "s"}"><a href="/{i.number}.html"><span class=kicker>{f.parts[2][i.number % 18]}</span><h3>{i.title}</h3></a><footer>{f.age(i)} · {f.count(i)}</footer></article>'
        for k, i in enumerate(f.items[:16])
    )
    hot = sorted(f.items[:12], key=lambda i: f.rng.random())[:5]
    popular = "".join(f"<li><a href=/{i.number}.html>{i.title}</a></li>" for i in hot)
    return (
        f"<header><div class=meta>{f.now:%d.%m.%Y, %H:%M} | {f.rng.randint(2, 19)} °C</div><a href=/>Anzeiger</a></header>"
        f"<div class=ticker>+++ {f.rng.choice(f.items[:6]).title} +++</div><main>{cards}</main>"
        f"<aside><h2>{READ[f.language]}</h2><ol>{popular}</ol><div class=ad-slot data-id={f.token()}>{f.rng.choice(f.ads)}</div></aside>"
    )


def aggregator(f: Front) -> str:
    """Links with points and comments, in an order that moves at every look."""
    shown = sorted(f.items[:25], key=lambda i: f.items.index(i) + f.rng.randint(0, 3))
    rows = "".join(
        f'<div class="story" data-shortid="{i.number}"><div class=voters><a class=upvoter></a><div class=score>{f.count(i)}</div></div><div class=details><span class=link><a href="https://x{i.number}.example/">{i.title}</a></span> <a class=tag>{f.parts[2][i.number % 18]}</a><div class=byline>via u{i.number % 40} {f.age(i)} | <span class=comments_label>{f.count(i, 1)} comments</span></div></div></div>'
        for i in shown
    )
    return f'<header id=nav><a href="/">Pile</a><a href=/recent>Recent</a><a href=/login?csrf={f.token()}>Login</a></header><div id=inside><ol class="stories list">{rows}</ol><div class=morelink>Page 2</div></div>'


def weblog(f: Front) -> str:
    """Entries with an excerpt, older ones at random beside them, a cloud of comments."""
    posts = "".join(
        f'<li class="wp-block-post post-{i.number}"><h2 class=wp-block-post-title><a href=/{i.number}/>{i.title}</a></h2><div class=wp-block-post-date>{i.came:%d/%m/%Y}</div><div class=wp-block-post-excerpt><p>{i.title}, {f.parts[0][i.number % 18]} {f.parts[1][i.number % 17]} {f.parts[2][i.number % 13]}. […]</p></div></li>'
        for i in f.items[:8]
    )
    others = "".join(f"<li><a href=/{i.number}/>{i.title}</a></li>" for i in f.pool(30, 4))
    said = f.rng.choice(f.ads)
    return f"<div class=wp-site-blocks><header><p class=wp-block-site-title>Carnet</p></header><main><ul class=wp-block-post-template>{posts}</ul></main><aside><div class=widget><h3>Au hasard</h3><ul>{others}</ul></div><div class=widget><blockquote>{said}</blockquote></div></aside><footer>{1000 + 9 * f.look}</footer></div>"


def magazine(f: Front) -> str:
    """A grid of covers and a stage of three that turns."""
    stage = "".join(f"<div class=slide><a href=/s/{i.number}>{i.title}</a></div>" for i in f.pool(8, 3))
    grid = "".join(
        f'<div class="grid-item"><a href=/s/{i.number}><img src=/c/{i.number}.webp?w=320&h={f.token()} alt=""></a><div class=tit>{i.title}</div><div class=aut>{f.parts[0][i.number % 18]}</div></div>'
        for i in f.items[:9]
    )
    return f"<div class=head>Rivista</div><div class=carousel>{stage}</div><div class=grid>{grid}</div><div class=foot>{f.rng.choice(f.ads)}</div>"


def plain_links(f: Front) -> str:
    """Links divided by line breaks, a counter, the date of today."""
    links = "<br>".join(f"<a href=n{i.number}.htm>{i.title}</a>" for i in f.items[:14])
    return f"<font size=5>Boletín</font><br>{f.now:%d/%m/%Y}<hr>{links}<hr><font size=1>Visitas: {52000 + 31 * f.look}</font>"


def votes(f: Front) -> str:
    """Posts with votes and ages, an advertisement among them, hashed names."""
    rows = [
        f'<shreddit-post id="t3_{i.number}" class="block relative css-{f.token()[:6]}"><a slot=title href=/c/{i.number}>{i.title}</a><span>u/{i.number % 70}</span><time>{f.age(i)}</time><faceplate-number>{f.count(i, 9)}</faceplate-number><span>{f.count(i, 2)} reacties</span></shreddit-post>'
        for i in f.rng.sample(f.items[:14], 14)
    ]
    rows.insert(3, f"<shreddit-ad-post><span>Gesponsord</span> {f.rng.choice(f.ads)}</shreddit-ad-post>")
    return f"<shreddit-app><reddit-header>Plein</reddit-header><shreddit-feed>{''.join(rows)}</shreddit-feed><div>{f.rng.randint(100, 900)} online</div></shreddit-app>"


def feed(f: Front) -> str:
    """JSON of items with counters, cursor and the moment it was made."""
    items = [
        {"id": i.number, "title": i.title, "published": i.came.isoformat(), "views": f.count(i, 40)}
        for i in f.items[:15]
    ]
    return json.dumps({"generatedAt": f.now.isoformat(), "cursor": f.token(), "total": 900 + f.look, "items": items})


def syndicated(f: Front) -> str:
    """RSS with the date of its making and counters of comments."""
    items = "".join(
        f"<item><title>{i.title}</title><link>https://made.example/{i.number}?s={f.token()}</link><guid>{i.number}</guid><pubDate>{i.came:%a, %d %b %Y %H:%M:%S} +0000</pubDate><slash:comments>{f.count(i)}</slash:comments></item>"
        for i in f.items[:12]
    )
    return f'<?xml version="1.0"?><rss version="2.0" xmlns:slash="http://purl.org/rss/1.0/modules/slash/"><channel><title>Notizie</title><lastBuildDate>{f.now:%a, %d %b %Y %H:%M:%S} +0000</lastBuildDate><ttl>{f.rng.randint(5, 60)}</ttl>{items}</channel></rss>'


def university(f: Front) -> str:
    """A stage that turns, three pieces of news, a quotation of a student, dates."""
    hero = f.pool(6, 1)[0]
    news = "".join(
        f"<div class='teaser teaser--news'><span class=date>{i.came:%d.%m.%Y}</span><h3><a href=/aktuell/{i.number}>{i.title}</a></h3><p>{f.parts[0][i.number % 18]} {f.parts[1][i.number % 15]} {f.parts[2][i.number % 11]}.</p></div>"
        for i in f.items[:4]
    )
    voice = f.rng.choice(f.ads)
    return f"<header><a href=/>Hochschule</a><nav><a href=/s>Studium</a><a href=/f>Forschung</a></nav></header><main><section class=stage><h2>{hero.title}</h2><a href=/x/{hero.number}>Mehr erfahren</a></section><section class=news><h2>Aktuelles</h2>{news}</section><section class=voices><blockquote>{voice}</blockquote></section></main><footer>Stand: {f.now:%d.%m.%Y}</footer>"


def shop_home(f: Front) -> str:
    """What is new, what sells best in turn, a countdown, a count of buyers."""
    new = "".join(
        f'<div class="product-card"><a href="/products/{i.number}?variant={f.token()}">{i.title}</a><span class=money>€{i.number % 90 + 9}.00</span></div>'
        for i in f.items[:8]
    )
    best = "".join(
        f'<div class="product-card"><a href="/products/{i.number}">{i.title}</a><span class=money>€{i.number % 90 + 9}.00</span></div>'
        for i in f.pool(16, 4)
    )
    return f"<div class=announcement>Sale ends in {f.rng.randint(0, 9)}h {f.rng.randint(0, 59)}m {f.rng.randint(0, 59)}s</div><header>Goods</header><main><section><h2>New in</h2><div class=grid>{new}</div></section><section><h2>Bestsellers</h2><div class=grid>{best}</div></section></main><div class=toast>Somebody in {f.parts[2][f.look % 18]} just bought {f.rng.choice(f.archive).title}</div>"


def live(f: Front) -> str:
    """Entries of a running report, the newest first, with readers counted."""
    posts = "".join(f"<li class=entry id=e{i.number}><b>{i.came:%H h %M}</b> {i.title}.</li>" for i in f.items[:20])
    return f"<div class=top>Direct</div><div class=live><span class=count>{f.rng.randint(800, 2400)} personnes connectées</span><ul>{posts}</ul><button>Actualiser ({f.now:%H:%M:%S})</button></div>"


def municipal(f: Front) -> str:
    """Announcements in a table, weather, the quotation of the day."""
    rows = "".join(
        f"<tr><td>{i.came:%d-%m-%Y}</td><td><a href=/bekend/{i.number}>{i.title}</a></td><td>pdf</td></tr>"
        for i in f.items[:10]
    )
    return f"<div id=kop>Gemeente</div><table id=t><tr><th>Datum</th><th>Onderwerp</th><th></th></tr>{rows}</table><div id=weer>{f.rng.randint(1, 20)}°C, {f.rng.choice(f.parts[2])}</div><div id=voet>{f.rng.choice(f.ads)} – {f.now:%d-%m-%Y %H:%M}</div>"


def videos(f: Front) -> str:
    """What was put up last, and what is recommended, others at every look."""

    def tile(i: Item) -> str:
        return f"<ytd-item><a href=/v?{i.number}&pp={f.token()}><span class=dur>{i.number % 17}:{i.number % 60:02d}</span><h3>{i.title}</h3></a><div class=m>{f.count(i, 31)} visualizaciones · {f.age(i)}</div></ytd-item>"

    return f"<app-bar>Cine</app-bar><div id=rec><h2>Recomendado</h2>{''.join(map(tile, f.pool(40, 8)))}</div><div id=new><h2>Novedades</h2>{''.join(map(tile, f.items[:8]))}</div>"


def board(f: Front) -> str:
    """Topics with counters and whoever wrote last, the one written to last first."""
    rows = "".join(
        f"<li class='row bg{k % 2 + 1}'><dl><dt><a class=topictitle href=./viewtopic.php?t={i.number}&sid={f.token()}>{i.title}</a><br>by user{i.number % 30}</dt><dd class=posts>{f.count(i, 1)}</dd><dd class=views>{f.count(i, 20)}</dd><dd class=lastpost>by user{f.rng.randint(1, 60)} {f.now:%a %b %d, %Y} {f.rng.randint(0, 23)}:{f.rng.randint(10, 59)}</dd></dl></li>"
        for k, i in enumerate(f.rng.sample(f.items[:12], 12))
    )
    return f"<div id=page-header>Board<p>It is currently {f.now:%a %b %d, %Y %H:%M}</p></div><div class=forumbg><ul class='topiclist topics'>{rows}</ul></div><p>Users browsing: {f.rng.randint(3, 80)} guests</p><p>Time: 0.{f.rng.randint(10, 99)}s</p>"


def rendered_app(f: Front) -> str:
    """One line of div and span, with what the scripts start from."""
    rows = "".join(
        f'<div class="sc-a{f.token()[:4]} kQ{k}"><div class="sc-b"><span>{i.title}</span></div><div class="sc-c"><span>{f.age(i)}</span><span>{f.count(i)}</span></div></div>'
        for k, i in enumerate(f.items[:12])
    )
    trending = "".join(f'<div class="sc-d"><span>{i.title}</span></div>' for i in f.pool(20, 5))
    return f'<div id="root"><div class="sc-e"><span>Wire</span></div><div class="sc-f">{rows}</div><div class="sc-g"><div>For you</div>{trending}</div></div><script>window.__S__={{"t":"{f.token()}"}}</script>'


class Kind(NamedTuple):
    """A kind of front page: how it looks, its language, how often something comes, how often it is looked at."""

    draw: Callable[[Front], str]
    language: str
    share: float
    hours: float
    form: str = "html"


KINDS = {
    "newspaper, fast": Kind(newspaper, "de", 0.8, 1.0),
    "newspaper, slow": Kind(newspaper, "fr", 0.25, 3.0),
    "aggregator": Kind(aggregator, "en", 0.7, 0.7),
    "weblog": Kind(weblog, "fr", 0.12, 24.0),
    "magazine": Kind(magazine, "it", 0.2, 24.0),
    "plain links": Kind(plain_links, "es", 0.3, 24.0),
    "votes": Kind(votes, "nl", 0.6, 2.0),
    "feed": Kind(feed, "en", 0.4, 2.0, "json"),
    "syndicated": Kind(syndicated, "it", 0.4, 5.0, "xml"),
    "university": Kind(university, "de", 0.15, 24.0),
    "shop home": Kind(shop_home, "en", 0.2, 12.0),
    "live": Kind(live, "fr", 0.7, 0.3),
    "municipal": Kind(municipal, "nl", 0.2, 24.0),
    "videos": Kind(videos, "es", 0.3, 12.0),
    "board": Kind(board, "en", 0.3, 6.0),
    "rendered app": Kind(rendered_app, "en", 0.5, 2.0),
}


def looks(kind: str, many: int, seed: int = 1) -> Iterator[Look]:
    """A front page at so many looks; of the first ones every third brings something."""
    made = KINDS[kind]
    f = Front(kind, made.language, seed)
    for number in range(many):
        news = number > 0 and (f.rng.random() < made.share or number in (2, 5))
        if news:
            for _ in range(f.rng.choice((1, 1, 2))):
                f.items.insert(
                    f.rng.choice((0, 0, 1, 3)) if made.draw in (newspaper, aggregator) else 0,
                    f.item(f.now - timedelta(minutes=7)),
                )
            del f.items[40:]
        page = made.draw(f)
        if made.form == "html":
            page = f'<!doctype html><html lang="{made.language}"><head><title>Made</title></head><body>{page}</body></html>'
        yield Look(page, f.now, news)
        f.now += timedelta(hours=made.hours * f.rng.uniform(0.9, 1.2))
        f.look += 1


def scored(kind: str, many: int) -> list[tuple[bool, float]]:
    """Of each look but the first: whether an item came, and what the change was worth."""
    made, noise, found, old, seen = KINDS[kind], NoiseState(), [], None, START
    for look in looks(kind, many):
        data = look.page.encode()
        page = as_page(data, MIMES[made.form], "utf-8") if made.form in MIMES else data
        tree = blocks(page or data, charset="utf-8", url="https://made.example/", scale=old.scale if old else 0)
        if old is not None:
            moments = seen.timestamp(), look.when.timestamp()
            delta = compare(old, tree, language="" if made.form in MIMES else made.language, moments=moments)
            found.append((look.news, study(delta, noise).value))
        old, seen = tree, look.when
    return found
