"""Behaviours end: when nothing new comes, and after a number of steps whatever comes."""

from strandline.browser import behaviours


class Page:
    """A page that grows so often when its end is reached, and has so many things to click."""

    def __init__(self, screens=3, grows=0, clicks=0, notice="", brings=True, lazy=0):
        self.screens, self.grows, self.clicks, self.notice, self.brings = screens, grows, clicks, notice, brings
        self.place = self.asked_for = self.settled = 0
        self.lazy = lazy
        self.out_of_time = False
        self.calls = []
        self.steps = 0
        self.stands_still = False

    def run_script(self, expression):
        if "strandline-waits-for-scrolling" in expression:
            self.calls.append(expression.rpartition("(")[2])
            lazy, self.lazy = self.lazy, 0
            if self.calls[-1].startswith("'top'"):
                self.place = 0
            elif self.calls[-1].startswith("'down'"):
                self.steps = min(self.screens - self.place, 60)
                self.place += self.steps
                return {"going": self.steps > 0, "lazy": lazy, "steps": 0}
            return {"going": self.stands_still, "lazy": lazy, "steps": self.steps}
        if "textContent" in expression and "querySelectorAll" not in expression:
            return self.asked_for
        if '"selectors"' in expression:
            found, self.notice = self.notice, ""
            return found
        if self.clicks:
            self.clicks -= 1
            self.asked_for += self.brings
            return "Load more"
        return ""

    def pause(self, seconds):
        pass

    def settle(self, seconds):
        self.settled += 1
        if self.place >= self.screens and self.grows:
            self.grows -= 1
            self.screens += 2


def test_scrolling_goes_on_while_the_page_grows_and_ends_at_its_end():
    page = Page(screens=4, grows=2)
    assert behaviours.scroll(page) == 8
    assert page.place == 0
    assert page.calls[-1].endswith("false)")


def test_a_page_that_is_looked_at_is_shown_again_when_it_was_scrolled():
    page = Page(screens=2)
    behaviours.scroll(page, looked_at=True)
    assert page.calls[-1].startswith("'top'")
    assert page.calls[-1].endswith("true)")


def test_a_page_whose_timers_stand_still_is_taken_as_it_is():
    page = Page(screens=3, grows=5)
    page.stands_still = True
    behaviours.scroll(page)
    assert sum(call.startswith("'down'") for call in page.calls) == 1


def test_a_page_that_waits_for_nobody_to_scroll_is_left_as_it_is():
    page = Page(screens=0)
    assert behaviours.scroll(page) == 0
    assert page.settled == 0
    assert len(page.calls) == 1


def test_images_that_wait_to_be_seen_are_waited_for_without_scrolling():
    page = Page(screens=0, lazy=3)
    assert behaviours.scroll(page) == 0
    assert page.settled == 1


def test_scrolling_an_endless_page_ends():
    page = Page(screens=2, grows=10_000)
    assert behaviours.scroll(page) <= 61


def test_nothing_is_begun_when_time_is_up():
    page = Page(clicks=3)
    page.out_of_time = True
    assert behaviours.scroll(page) == 0
    assert behaviours.load_more(page) == 0


def test_more_is_asked_for_until_nothing_new_comes():
    assert behaviours.load_more(Page(clicks=4)) == 4
    assert behaviours.load_more(Page(clicks=1000)) == 20
    assert behaviours.load_more(Page(clicks=1000, brings=False)) == 1


def test_a_notice_is_closed_once_and_told_by_name():
    page = Page(notice="OneTrust")
    assert behaviours.close_notice(page) == "OneTrust"
    assert page.settled == 1
    assert behaviours.close_notice(page) == ""
    assert page.settled == 1
