"""The set of pages that need a browser, shown again: what of each page a replay shows, whoever replays it."""

from contextlib import closing

from servers.script_pages import PAGES

EXTRA_SECONDS = 15
"""How long a page may take to show what it must; then it does not."""
_OPEN_SHADOWS = """const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (init) { return attach.call(this, { ...init, mode: "open" }); };"""
_TEXT = """() => {
  const parts = [];
  const walk = (node) => {
    if (node.nodeType === 3) parts.push(node.data);
    if (["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT"].includes(node.nodeName)) return;
    if (node.shadowRoot) node.shadowRoot.childNodes.forEach(walk);
    node.childNodes.forEach(walk);
  };
  if (document.body) walk(document.body);
  return parts.join(" ");
}"""
_SCROLL = "() => window.scrollTo(0, document.body ? document.body.scrollHeight : 0)"
_CLICK = """() => { for (const button of document.querySelectorAll("button"))
  if (/reject|load more/i.test(button.textContent)) button.click(); }"""


class Replayed:
    """One page as a replay showed it."""

    def __init__(self):
        self.text = ""
        self.asked = []
        self.answers = {}

    def missing(self, name):
        """The texts of a page that were not shown again."""
        return [text for text in PAGES[name][0].texts if text not in self.text]


def plain_urls(name):
    """Addresses a page asks for as they stand: those of other methods are told apart by their bodies."""
    return [url for url in PAGES[name][0].urls if " " not in url]


def texts_of(page):
    """The text of a page and its frames."""
    found = []
    for frame in page.frames:
        try:
            found.append(frame.evaluate(_TEXT))
        except Exception:  # noqa: BLE001 - a frame that went away shows nothing
            continue
    return " ".join(found)


def reader(browser):
    """A profile of its own, with nothing of earlier pages."""
    context = browser.new_context()
    context.add_init_script(_OPEN_SHADOWS)
    return context


def replayed(browser, name, address, known=(), seconds=EXTRA_SECONDS):
    """One page of the set, shown to a new reader."""
    with closing(reader(browser)) as context:
        return shown_to(context, name, address, known, seconds)


def shown_to(context, name, address, known=(), seconds=EXTRA_SECONDS):
    """Open a page of the set where a replay shows it, do what a reader would, and say what came. `known`: what nobody
    waits for."""
    page = context.new_page()
    shown = Replayed()
    page.on("request", lambda request: shown.asked.append(request.url))
    page.on("response", lambda response: shown.answers.update({response.url: response.status}))
    page.on("dialog", lambda dialog: dialog.dismiss())
    with closing(page):
        page.goto(address, wait_until="commit")
        for _ in range(seconds * 4):
            page.wait_for_timeout(250)
            for frame in page.frames:
                for step in (_SCROLL, _CLICK):
                    try:
                        frame.evaluate(step)
                    except Exception:  # noqa: BLE001 - it is on its way elsewhere
                        continue
            shown.text = texts_of(page)
            if set(shown.missing(name)) <= set(known):
                break
    return shown
