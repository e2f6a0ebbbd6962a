"""Pages that are lists: links, teasers, topics, products, figures, headlines, entries, posts (see `living_pages`)."""

# ruff: noqa: D102 - what the methods are for says the class they override

from datetime import timedelta

from strandline.lab.experiments.living_pages import MENU, LivingPage, slug
from strandline.lab.experiments.made_words import headline, name, paragraph, sentence, words


class LinkList(LivingPage):
    """A page of links with points and comments, the newest story first; order, counters and ages move at every look."""

    share = 0.85

    def begin(self) -> None:
        self.stories = [self._story() for _ in range(30)]

    def _story(self) -> list[object]:
        return [headline(self.rng), name(self.rng), self.now, self.rng.randint(1, 20), self.rng.randint(0, 5)]

    def news(self) -> None:
        for _ in range(self.rng.randint(1, 3)):
            self.stories.insert(self.rng.randint(0, 6), self._story())
        del self.stories[30:]

    def noise(self) -> None:
        for story in self.stories:
            story[3] = int(str(story[3])) + self.rng.randint(0, 9)
            story[4] = int(str(story[4])) + self.rng.randint(0, 3)
        for _ in range(4):
            place = self.rng.randrange(29)
            self.stories[place : place + 2] = reversed(self.stories[place : place + 2])

    def body(self) -> str:
        rows = "".join(
            f'<tr><td>{rank}.</td><td><a href="/{slug(str(title))}">{title}</a> (made.example)</td></tr>'
            f"<tr><td></td><td>{points} points by {who} <a href=/item>{self.ago(then)}</a> | "  # type: ignore[arg-type]
            f"<a href=/item>{comments} comments</a></td></tr>"
            for rank, (title, who, then, points, comments) in enumerate(self.stories, 1)
        )
        return f"{MENU}<table>{rows}</table><p><a href=/more>More</a></p><footer>Guidelines | FAQ | Contact</footer>"


class FrontPage(LivingPage):
    """Teasers in sections, a list of what is most read, rotating advertising, a clock."""

    share = 0.7

    def begin(self) -> None:
        self.teasers = [(headline(self.rng), sentence(self.rng)) for _ in range(18)]
        self.offers = [sentence(self.rng, 5, 9) for _ in range(12)]

    def news(self) -> None:
        place = self.rng.randrange(6)
        if self.rng.random() < 0.2:
            self.teasers[place] = headline(self.rng), self.teasers[place][1]
            return
        self.teasers.insert(place, (headline(self.rng), sentence(self.rng)))
        self.teasers.pop()

    def noise(self) -> None:
        self.read = self.rng.sample([title for title, _ in self.teasers], 5)
        self.offer = self.rng.sample(self.offers, 2)

    def body(self) -> str:
        shown = "".join(
            f'<article><h2><a href="/{slug(title)}">{title}</a></h2><p>{text}</p></article>'
            for title, text in self.teasers
        )
        offers = "".join(f'<div class="box"><a href="/out/{slug(one)}">{one}</a></div>' for one in self.offer)
        read = "".join(f"<li><a href=/{slug(one)}>{one}</a></li>" for one in self.read)
        return (
            f"<header>{self.now:%A, %d %B %Y, %H:%M}</header>{MENU}<main>{shown}</main>{offers}"
            f"<aside><h3>Most read</h3><ol>{read}</ol></aside>"
        )


class Forum(LivingPage):
    """An index of topics with replies, views and the last post."""

    def begin(self) -> None:
        self.topics = [[headline(self.rng), name(self.rng), self.rng.randint(0, 40), self.now] for _ in range(25)]

    def news(self) -> None:
        self.topics.insert(2, [headline(self.rng), name(self.rng), 0, self.now])
        self.topics.pop()

    def noise(self) -> None:
        self.online = self.rng.randint(40, 90)
        for topic in self.rng.sample(self.topics[2:], 5):
            topic[2] = int(str(topic[2])) + self.rng.randint(1, 4)
            topic[3] = self.now - timedelta(minutes=self.rng.randint(1, 50))

    def body(self) -> str:
        rows = "".join(
            f"<tr><td><a href=/t/{slug(str(title))}>{title}</a> by {who}</td><td>{replies}</td>"
            f"<td>{int(str(replies)) * 31 + self.now.hour}</td><td>{self.ago(last)}</td></tr>"  # type: ignore[arg-type]
            for title, who, replies, last in self.topics
        )
        head = "<tr><th>Topic</th><th>Replies</th><th>Views</th><th>Last post</th></tr>"
        return f"{MENU}<h1>General discussion</h1><table>{head}{rows}</table><p>{self.online} users online</p>"


class ShopListing(LivingPage):
    """Products with prices; ratings are counted, the order changes, some things are sold."""

    def begin(self) -> None:
        self.products = [self._product() for _ in range(20)]

    def _product(self) -> list[object]:
        return [" ".join(words(self.rng, 3)).title(), self.rng.randint(400, 9000) / 100, self.rng.randint(3, 400)]

    def news(self) -> None:
        if self.rng.random() < 0.4:
            self.products[self.rng.randrange(20)] = self._product()
        else:
            product = self.rng.choice(self.products)
            product[1] = round(float(str(product[1])) * self.rng.choice((0.8, 0.9, 1.07, 1.15)), 2)

    def noise(self) -> None:
        self.rng.shuffle(self.products)
        for product in self.rng.sample(self.products, 6):
            product[2] = int(str(product[2])) + 1

    def body(self) -> str:
        shown = "".join(
            f"<li><a href=/p/{slug(str(title))}>{title}</a> <span>{price:.2f} EUR</span> "
            f"<small>{ratings} ratings</small></li>"
            for title, price, ratings in self.products
        )
        return f"{MENU}<main><h1>Kettles</h1><ul>{shown}</ul></main><p>{self.rng.randint(3, 30)} sold today</p>"


class Results(LivingPage):
    """A table of figures; only the time of the answer changes when there is nothing new."""

    def begin(self) -> None:
        self.rows = [[name(self.rng), self.rng.randint(200, 9000), self.rng.randint(200, 9000)] for _ in range(20)]

    def news(self) -> None:
        for row in self.rng.sample(self.rows, self.rng.randint(1, 6)):
            row[self.rng.randint(1, 2)] = int(str(row[1])) + self.rng.randint(20, 900)

    def body(self) -> str:
        rows = "".join(f"<tr><td>{who}</td><td>{one}</td><td>{other}</td></tr>" for who, one, other in self.rows)
        head = "<tr><th>District</th><th>Yes</th><th>No</th></tr>"
        return f"{MENU}<main><h1>Results</h1><table>{head}{rows}</table></main><p>As of {self.now:%H:%M:%S}</p>"


class Ticker(LivingPage):
    """A clock and headlines, each with its time of day."""

    def begin(self) -> None:
        self.lines = [(self.now, sentence(self.rng, 6, 14)) for _ in range(15)]

    def news(self) -> None:
        self.lines.insert(0, (self.now, sentence(self.rng, 6, 14)))
        self.lines.pop()

    def body(self) -> str:
        lines = "".join(f"<li><b>{then:%H:%M}</b> {text}</li>" for then, text in self.lines)
        return f"{MENU}<div>It is {self.now:%H:%M:%S}</div><main><h1>Live</h1><ul>{lines}</ul></main>"


class Pagination(LivingPage):
    """The fifth page of a long list: entries move in from the page before. News is an entry that is worded anew."""

    url = "https://made.example/list?page=5"
    share = 0.3

    def begin(self) -> None:
        self.entries = [(headline(self.rng), sentence(self.rng)) for _ in range(400)]
        self.first = 350

    def news(self) -> None:
        place = self.first + self.rng.randrange(3, 15)
        title, text = self.entries[place]
        if self.rng.random() < 0.5:
            self.entries[place] = headline(self.rng), text
        else:
            self.entries[place] = title, sentence(self.rng)

    def noise(self) -> None:
        self.first -= self.rng.randint(0, 3)

    def body(self) -> str:
        shown = "".join(
            f"<article><h2><a href=/{slug(title)}>{title}</a></h2><p>{text}</p></article>"
            for title, text in self.entries[self.first : self.first + 20]
        )
        pages = " ".join(f'<a href="/list?page={number}">{number}</a>' for number in range(1, 12))
        return f"{MENU}<main>{shown}</main><div>{pages}</div>"


class Blog(LivingPage):
    """Posts with how long ago they were written."""

    def begin(self) -> None:
        self.posts = [(headline(self.rng), paragraph(self.rng), self.now) for _ in range(10)]

    def news(self) -> None:
        self.posts.insert(0, (headline(self.rng), paragraph(self.rng), self.now))
        self.posts.pop()

    def body(self) -> str:
        posts = "".join(
            f"<article><h2><a href=/{slug(title)}>{title}</a></h2><p>posted {self.ago(then)}</p><p>{text}</p></article>"
            for title, text, then in self.posts
        )
        return f"{MENU}<main>{posts}</main>"
