"""Pages that are one text each: a product, a contract, an event, a manual, an article and what stands beside it."""

# ruff: noqa: D102 - what the methods are for says the class they override

from datetime import UTC, datetime, timedelta

from strandline.lab.experiments.living_pages import MENU, START, LivingPage, listed, paragraphs
from strandline.lab.experiments.made_words import headline, name, paragraph, sentence, words


class Product(LivingPage):
    """A price, whether it can be had, a description; viewers, reviews and a countdown beside them."""

    url = "https://made.example/p/kettle"
    share = 0.2

    def begin(self) -> None:
        self.price, self.reviews, self.stock = 14.95, 120, "In stock"
        self.texts = [paragraph(self.rng) for _ in range(4)]

    def news(self) -> None:
        what = self.rng.random()
        if what < 0.6:
            self.price = round(self.price + self.rng.choice((-2, -1, 1, 1.5, 3)), 2)
        elif what < 0.8:
            self.stock = "Sold out" if self.stock == "In stock" else "In stock"
        else:
            self.texts[self.rng.randrange(4)] += " " + sentence(self.rng)

    def noise(self) -> None:
        self.reviews += self.rng.randint(0, 2)

    def body(self) -> str:
        return (
            f"{MENU}<main><h1>Kettle of steel</h1><p class=price>{self.price:.2f} EUR</p><p>{self.stock}</p>"
            f"<p>{self.rng.randint(3, 40)} people are viewing this right now</p><p>{self.reviews} reviews</p>"
            f"<p>Order within {self.rng.randint(1, 12)} hours {self.rng.randint(1, 59)} minutes to get it tomorrow</p>"
            f"{paragraphs(self.texts)}</main>"
        )


class Contract(LivingPage):
    """Terms that stand still for long; a date of today and a counter in the footer."""

    url = "https://made.example/terms"
    share = 0.15

    def begin(self) -> None:
        self.notice, self.fee, self.rate, self.must, self.denied = 14, 25, 5, "must", "not "
        self.visits = 10_000
        self.texts = [paragraph(self.rng) for _ in range(12)]

    def news(self) -> None:
        what = self.rng.randrange(6)
        if what == 0:
            self.notice = self.rng.choice([days for days in (14, 30, 60, 90) if days != self.notice])
        elif what == 1:
            self.fee += self.rng.choice((-5, 5, 10))
        elif what == 2:
            self.rate += 1
        elif what == 3:
            self.must = "may" if self.must == "must" else "must"
        elif what == 4:
            self.denied = "" if self.denied else "not "
        else:
            self.texts[self.rng.randrange(12)] = paragraph(self.rng)

    def noise(self) -> None:
        self.visits += self.rng.randint(3, 60)

    def body(self) -> str:
        terms = [
            f"This contract ends when either side gives notice of {self.notice} days in writing.",
            f"The customer {self.must} return all devices at the end of the contract.",
            f"A fee of {self.fee} EUR is due for each reminder, and interest of {self.rate} % a year.",
            f"The provider is {self.denied}liable for damage caused by third parties.",
        ]
        texts = [*self.texts[:6], *terms, *self.texts[6:]]
        return (
            f"{MENU}<main><h1>Terms and conditions</h1>{paragraphs(texts)}</main>"
            f"<footer>Today is {self.now:%d %B %Y, %H:%M}. {self.visits:,} visits.</footer>"
        )


class Event(LivingPage):
    """A date and a place; a countdown and a count of those who come."""

    url = "https://made.example/concert"
    share = 0.2

    def begin(self) -> None:
        self.day = datetime(2026, 9, 12, 19, 30, tzinfo=UTC)
        self.place, self.going = "Harbour Hall", 120
        self.texts = [paragraph(self.rng) for _ in range(3)]

    def news(self) -> None:
        if self.rng.random() < 0.75:
            self.day += timedelta(days=self.rng.choice((-7, 1, 2, 7, 14, 30)))
        else:
            self.place = f"{name(self.rng)} Hall"

    def noise(self) -> None:
        self.going += self.rng.randint(0, 2)

    def body(self) -> str:
        return (
            f"{MENU}<main><h1>Evening of songs</h1><p>Date: {self.day:%A, %d %B %Y}</p><p>Doors open at 19:30</p>"
            f"<p>Venue: {self.place}</p><p>{self.going} people are going</p>{paragraphs(self.texts)}</main>"
            f"<p>Only {(self.day - self.now).days} days {self.now.hour} hours left</p>"
        )


class Documentation(LivingPage):
    """A page of a manual, built again every day with another date and build time."""

    url = "https://made.example/docs/install"
    share = 0.2

    def begin(self) -> None:
        self.texts = [paragraph(self.rng) for _ in range(10)]
        self.version = [2, 3]
        self.menu = [" ".join(words(self.rng, 2)).title() for _ in range(20)]

    def news(self) -> None:
        place = self.rng.randrange(10)
        what = self.rng.random()
        if what < 0.3:
            self.version[1] += 1
        elif what < 0.7:
            self.texts[place] = paragraph(self.rng)
        else:
            self.texts[place] = f"{sentence(self.rng)} {self.texts[place]}"

    def body(self) -> str:
        menu = f"<nav><ul>{listed(self.menu)}</ul></nav>"
        return (
            f"{menu}<main><h1>Installing</h1><p>Needs version {self.version[0]}.{self.version[1]} or later.</p>"
            f"{paragraphs(self.texts)}</main>"
            f"<footer>Last updated: {self.now:%Y-%m-%d %H:%M}. Built in {self.rng.randint(100, 999)} ms.</footer>"
        )


class Application(LivingPage):
    """The start page of an application: its state, the time of the server, what is new in it."""

    share = 0.3

    def begin(self) -> None:
        self.notes = [(headline(self.rng), sentence(self.rng)) for _ in range(6)]

    def news(self) -> None:
        self.notes.insert(0, (headline(self.rng), sentence(self.rng)))
        self.notes.pop()

    def body(self) -> str:
        notes = "".join(f"<section><h3>{title}</h3><p>{text}</p></section>" for title, text in self.notes)
        return (
            f"{MENU}<div id=app><div>Server time {self.now:%Y-%m-%d %H:%M:%S}</div>"
            f"<div>Session {self.rng.getrandbits(64):016x}</div><div>Memory used: {self.rng.randint(20, 90)} %</div>"
            f"<div>{self.rng.randint(10, 99)} jobs waiting</div><h2>What is new</h2>{notes}</div>"
        )


class Article(LivingPage):
    """An article whose headline, paragraphs and corrections change; comments and shares are counted."""

    url = "https://made.example/story"
    share = 0.25

    def begin(self) -> None:
        self.title = headline(self.rng)
        self.texts = [paragraph(self.rng) for _ in range(14)]
        self.comments, self.shares = 14, 230

    def news(self) -> None:
        place, what = self.rng.randrange(len(self.texts)), self.rng.random()
        if what < 0.25:
            self.title = headline(self.rng)
        elif what < 0.5 and len(self.texts) > 8:
            del self.texts[place]
        elif what < 0.75:
            self.texts.insert(place, paragraph(self.rng))
        else:
            said = " ".join(words(self.rng, 4))
            self.texts.append(f"Correction: an earlier version of this article said {said}. This was wrong.")

    def noise(self) -> None:
        self.comments += self.rng.randint(0, 3)
        self.shares += self.rng.randint(0, 20)

    def article(self) -> str:
        """The article alone."""
        return f"<article><h1>{self.title}</h1>{paragraphs(self.texts)}</article>"

    def body(self) -> str:
        return (
            f"{MENU}{self.article()}<div>{self.comments} comments</div><div>Shared {self.shares} times</div>"
            f"<p>Published {self.ago(START)}</p>"
        )


class Daily(Article):
    """An article beside the weather and a quotation of the day."""

    def begin(self) -> None:
        super().begin()
        self.quotations = [f"{sentence(self.rng)} ({name(self.rng)})" for _ in range(30)]

    def body(self) -> str:
        weather = f"<div>Today {self.rng.randint(3, 25)} °C, wind {self.rng.randint(5, 40)} km/h</div>"
        return f"{MENU}{self.article()}{weather}<div><b>Quotation</b><p>{self.rng.choice(self.quotations)}</p></div>"


class Related(Article):
    """An article beside a box of other articles drawn at random."""

    def begin(self) -> None:
        super().begin()
        self.others = [headline(self.rng) for _ in range(60)]

    def body(self) -> str:
        return (
            f"{MENU}{self.article()}<div><h3>You may like</h3><ul>{listed(self.rng.sample(self.others, 5))}</ul></div>"
        )


class TwoLayouts(Article):
    """An article served in two layouts at random, with other words around it."""

    def begin(self) -> None:
        super().begin()
        self.around = [[sentence(self.rng) for _ in range(4)] for _ in range(2)]

    def body(self) -> str:
        if self.rng.random() < 0.5:
            return f"{MENU}<div class=one>{self.article()}</div><div>{paragraphs(self.around[0])}</div>"
        return f"<section><div>{paragraphs(self.around[1])}</div>{MENU}</section><main>{self.article()}</main>"


class Tokens(Article):
    """An article on a page that shows tokens made for every request."""

    def body(self) -> str:
        letters = "".join(self.rng.choices("abcdefghijklmnopqrstuvwxyz", k=12))
        return (
            f"{MENU}{self.article()}<p>Your reference: {letters}</p><p>Request {self.rng.getrandbits(48):012x} "
            f"served by node {self.rng.randint(1, 40)} in {self.rng.random():.3f} s</p>"
        )
