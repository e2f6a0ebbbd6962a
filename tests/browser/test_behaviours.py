"""Behaviours end: when nothing new comes, and after a number of steps whatever comes."""

from strandline.browser import behaviours


class Page:
    """A page that grows so often when its end is reached, and has so many things to click."""

    def __init__(self, screens=3, grows=0, clicks=0, notice="", brings=True):
        self.screens, self.grows, self.clicks, self.notice, self.brings = screens, grows, clicks, notice, brings
        self.place = self.asked_for = self.settled = 0
        self.out_of_time = False

    def run_script(self, expression):
        if expression.endswith("('top')"):
            self.place = 0
            return {"end": True, "height": 0}
        if expression.endswith("('step')"):
            if self.place >= self.screens and self.grows:
                self.grows -= 1
                self.screens += 2
            self.place = min(self.place + 1, self.screens)
            return {"end": self.place >= self.screens and not self.grows, "height": self.screens}
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

    def settle(self, seconds):
        self.settled += 1

    def pause(self, seconds):
        pass


def test_scrolling_goes_on_while_the_page_grows_and_ends_at_its_end():
    page = Page(screens=4, grows=2)
    assert 4 < behaviours.scroll(page) <= 12
    assert page.place == 0


def test_scrolling_an_endless_page_ends():
    page = Page(screens=2, grows=10_000)
    assert behaviours.scroll(page) <= 60


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
