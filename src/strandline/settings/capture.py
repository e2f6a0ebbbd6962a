"""The section of `strandline.toml` about pages that are shown in a browser."""

from strandline.core.quick_dataclass import dataclass
from strandline.settings.setting import MIB, MOMENT, SOME, setting


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """Which pages are also shown in a browser (docs/browser.md)."""

    browser: str = setting(
        "never",
        "Show pages in a Chromium of the system, whose every request Strandline answers: never, always, or auto (where "
        "it was found to show more than the answer itself).",
        choices=("never", "auto", "always"),
    )
    browser_sites: tuple[str, ...] = setting(
        (), 'The same for single sites or hosts, for example "app.example.org always".', form="site_browser"
    )
    browsers: int = setting(1, "Browsers at once, each with one page: about 300 MB of memory each.", bounds=(1, 64))
    page_seconds: float = setting(45.0, "Most time a page is shown.", "duration", bounds=MOMENT)
    page_requests: int = setting(400, "Most requests a page may make while it is shown.", bounds=SOME)
    page_bytes: int = setting(64 * MIB, "Most bytes it is given.", "size", bounds=SOME)
    memory: int = setting(1536 * MIB, "A browser that takes more memory is ended.", "size", bounds=(128 * MIB, 2**50))
    load_more: bool = setting(False, 'Click what says "load more" until nothing new comes.')
    screenshots: bool = setting(False, "Keep pictures of what is shown, of the first screen and of the whole page.")
