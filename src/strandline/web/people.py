"""Pages for people that show the archive. Each reads its query, asks a view and renders it."""

import time

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from strandline.access.addresses import original
from strandline.access.listing import stretch
from strandline.access.pictures import has_picture
from strandline.access.timestamps import moment, timestamp
from strandline.core.changes.told.shown import RATED
from strandline.core.plan.objective import OBJECTIVES
from strandline.errors import UsageError
from strandline.keeping.annotations import tags
from strandline.keeping.searches import searches_of
from strandline.web.annotations import said_of
from strandline.web.face import DeskPages, NotThereError, number_of, or_not_there
from strandline.web.pages import by_day
from strandline.web.texts import say
from strandline.web.views.changes import ChangesAsked, changes_page
from strandline.web.views.compare import Part, compare, end_of, neighbours
from strandline.web.views.health import health
from strandline.web.views.learned import classes_page, patterns_page, rules_page
from strandline.web.views.overview import overview, site_cards
from strandline.web.views.page import page_view
from strandline.web.views.pictures import latest_views, pictures_of
from strandline.web.views.ratings import given
from strandline.web.views.search import Found, SearchAsked, search
from strandline.web.views.simulate import COUNTED, MAIN, rival, simulations, strategy_names, usual_budgets
from strandline.web.views.site import MOST_LISTED, pages_of, site_view
from strandline.web.views.values import address, time_of

_PICTURES = 60
"""Captures of a list that are looked at for pictures: each takes a look into a file."""


class People(DeskPages):
    """Handlers of the pages that show the archive."""

    def routes(self) -> list[Route]:
        """All pages."""
        shown = {
            "/": self.home,
            "/site": self.site,
            "/pages": self.pages,
            "/page": self.page,
            "/captures": self.captures,
            "/compare": self.compare,
            "/search": self.search,
            "/changes": self.changes,
            "/rules": self.rules,
            "/patterns": self.patterns,
            "/classes": self.classes,
            "/simulate": self.simulate,
            "/health": self.health,
            "/ratings": self.ratings,
        }
        return self._face.routes(shown, {})

    async def home(self, request: Request) -> Response:
        """The archive at a glance."""
        start = number_of(request, "start", 0)
        like = request.query_params.get("like", "")[:100]
        cards = site_cards(self._desk, start, like=like)
        values = {"view": overview(self._desk), "cards": cards, "start": start, "like": like}
        values["own"] = rival(self._desk.settings.plan.strategy).title
        values["add_url"] = request.query_params.get("add", "")[:2000]
        return self._face.page(request, "overview.html", values)

    async def site(self, request: Request) -> Response:
        """One site."""
        name = request.query_params.get("site", "")
        if self._desk.reading.site_row(name) is None:
            raise NotThereError(say("no_site", site=name))
        since = time_of(request.query_params.get("since", ""))
        view = site_view(self._desk, name, request.query_params.get("at", ""), since)
        values = {"view": view, "history": self._history(name), "most": MOST_LISTED}
        return self._face.page(request, "site.html", values)

    def _history(self, site: str) -> object:
        return self._desk.slow_queries.remembered("history", site=site)

    async def pages(self, request: Request) -> Response:
        """The pages of a site."""
        name = request.query_params.get("site", "")
        with or_not_there():
            found = pages_of(self._desk, name, request.query_params.get("after", ""))
        return self._face.page(request, "pages.html", {"found": found})

    async def page(self, request: Request) -> Response:
        """One page: its whole history."""
        typed = request.query_params.get("url", "")
        if not typed.strip():
            return RedirectResponse("/search", 303)
        url = address(typed)
        at = request.query_params.get("at", "")
        year, start = number_of(request, "year"), number_of(request, "blocks", 0)
        when = moment(at) if at else None
        with or_not_there(url=url):
            view = page_view(self._desk, url, year, when, start)
        values = {"view": view, "query": view.url, "start": start}
        values["week"] = self._desk.slow_queries.remembered("week", url=view.url)
        values["said"] = said_of(self._desk, view.url)
        weeks = (week for month in view.calendar.months for week in month.weeks)
        days = [day.time for week in weeks for day in week if day is not None and day.time is not None]
        values["views"] = latest_views(self._desk.holdings, view.url, days)
        return self._face.page(request, "page.html", values)

    async def captures(self, request: Request) -> Response:
        """The captures of a page by day."""
        typed = request.query_params.get("url", "").strip()
        if not typed:
            return RedirectResponse("/search", 303)
        url = original(typed)
        before = moment(request.query_params["before"]) + 0.9995 if "before" in request.query_params else 1e15
        found = stretch(self._desk.holdings.index, url, before)
        if not found.captures:
            raise NotThereError(say("no_capture", url=url), url)
        url = found.captures[0].url  # as it was captured: people type less
        values = {
            "url": url,
            "query": url,
            "days": by_day(found.captures, lambda capture: capture.time),
            "found": found,
        }
        pages, newest, oldest = self._desk.reading.page_numbers(url), found.captures[0], found.captures[-1]
        rows = self._desk.reading.change_rows(pages, oldest.time, newest.time, len(found.captures))
        values["changes"] = {timestamp(row.by): row.importance for row in rows if row.visible}
        some = [capture for capture in found.captures if capture.rendering is not None][:_PICTURES]
        values["pictured"] = {capture.time for capture in some if has_picture(self._desk.holdings, capture)}
        return self._face.page(request, "captures.html", values)

    async def compare(self, request: Request) -> Response:
        """Two versions of a page."""
        asked = request.query_params
        url = address(asked.get("url", ""))
        pages = self._desk.reading.page_numbers(url)
        span = self._desk.reading.capture_span(pages)
        if span is None:
            raise NotThereError(say("no_capture", url=url), url)
        latest = [capture.time for capture in self._desk.reading.shown_captures(pages, 1e15, 2)]
        start = end_of(asked["from"]) if asked.get("from") else latest[-1]
        end = end_of(asked["to"]) if asked.get("to") else latest[0]
        only = asked.get("only", "") == "changed"
        part = Part(number_of(request, "after", 0), only)
        view = await compare(self._desk, self._captured(url), start, end, part)
        before, after = neighbours(self._desk.reading, url, view.old, view.new)
        values = {"view": view, "query": url, "before": before, "after": after, "rated": RATED}
        values["mode"] = "one" if asked.get("view") == "one" else "side"
        values["only"] = only
        values["said"] = said_of(self._desk, url, timestamp(view.new))
        values["pictures"] = pictures_of(self._desk.holdings, view) if not part.after else []
        return self._face.page(request, "compare.html", values)

    def _captured(self, url: str) -> str:
        """An address as it was captured: http or https, with or without www."""
        found = self._desk.reading.shown_captures(self._desk.reading.page_numbers(url), 1e15, 1)
        return found[0].url if found else url

    async def search(self, request: Request) -> Response:
        """By address, words, topic and label."""
        asked = request.query_params
        text = asked.get("q", "").strip()[:500]
        by = asked.get("by", "words")
        found: Found | None = None
        if text:
            looked_for = SearchAsked(
                words=text if by == "words" else "",
                topic=text if by == "topic" else "",
                label=text if by == "label" else "",
                url=text if by == "url" or "." in text.split("/")[0] or "://" in text else "",
                site=asked.get("site", "").strip(),
                since=time_of(asked.get("since", "")),
                until=time_of(asked.get("until", ""), end=True),
                start=number_of(request, "start", 0),
                collection=asked.get("collection", ""),
                tag=asked.get("tag", ""),
                over_time=asked.get("order") == "time" and by != "url",
            )
            found = search(self._desk, looked_for)
        values = {
            "found": found,
            "text": text,
            "by": by,
            "asked": dict(asked),
            "query": text,
            "saved": searches_of(self._desk.settings),
        } | self._narrowing()
        return self._face.page(request, "search.html", values)

    def _changes_asked(self, request: Request) -> ChangesAsked:
        asked = request.query_params
        least = asked.get("min", "") or "0"
        try:
            importance = float(least)
        except ValueError:
            raise UsageError(say("no_importance", text=least[:20])) from None
        return ChangesAsked(
            site=asked.get("site", "").strip(),
            least=importance,
            since=time_of(asked.get("since", "")),
            until=time_of(asked.get("until", ""), end=True),
            cursor=asked.get("cursor", ""),
            collection=asked.get("collection", ""),
            tag=asked.get("tag", ""),
        )

    def _narrowing(self) -> dict[str, object]:
        """What lists can be narrowed to."""
        titles = [(one.name, one.title or one.name) for one in self._desk.settings.collection]
        return {"collections": sorted(titles), "tags": sorted(tags(self._desk.archive))}

    async def changes(self, request: Request) -> Response:
        """What changed lately."""
        found = changes_page(self._desk, self._changes_asked(request))
        values = {"found": found, "asked": dict(request.query_params)} | self._narrowing()
        values["days"] = by_day(found.changes, lambda change: change.by)
        return self._face.page(request, "changes.html", values)

    async def rules(self, request: Request) -> Response:
        """Directory rules."""
        found = rules_page(self._desk, request.query_params.get("site", ""), number_of(request, "start", 0))
        return self._face.page(request, "rules.html", {"found": found})

    async def patterns(self, request: Request) -> Response:
        """Pattern groups."""
        return self._face.page(
            request, "patterns.html", {"found": patterns_page(self._desk, number_of(request, "start", 0))}
        )

    async def classes(self, request: Request) -> Response:
        """Change classes."""
        chosen = number_of(request, "class")
        found = classes_page(self._desk, chosen, number_of(request, "after", 0))
        return self._face.page(request, "classes.html", {"found": found, "chosen": chosen})

    async def simulate(self, request: Request) -> Response:
        """Strategies tried on the archive's own history."""
        values = {
            "runs": simulations(self._desk),
            "main": [rival(name) for name in MAIN],
            "more": [rival(name) for name in strategy_names() if name not in MAIN],
            "own": rival(self._desk.settings.plan.strategy).title,
            "budgets": usual_budgets(self._desk.settings.plan.budget),
            "counted": COUNTED,
            "objectives": OBJECTIVES,
            "plan": self._desk.settings.plan,
        }
        return self._face.page(request, "simulate.html", values)

    async def ratings(self, request: Request) -> Response:
        """What people said about blocks."""
        return self._face.page(request, "ratings.html", {"found": given(self._desk)})

    async def health(self, request: Request) -> Response:
        """Is all well?"""
        return self._face.page(request, "health.html", {"view": health(self._desk, time.time())})
