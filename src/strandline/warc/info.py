"""What every WARC file says about the crawl, in its first record."""

from typing import Final

from strandline.core.quick_dataclass import dataclass

_CONFORMS: Final = "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"


@dataclass(frozen=True, slots=True)
class WarcInfo:
    """What the first record of every file says about the crawl."""

    software: str
    user_agent: str = ""
    robots: str = ""
    """The robots policy in force, for example `obey` or `ignore (legal deposit)`."""
    operator: str = ""
    """Who to ask: the contact address of the archive."""
    is_part_of: str = ""
    described: tuple[tuple[str, str], ...] = ()
    """Elements of Dublin Core that describe what is in the file, by name; a name may come several times."""

    def fields(self) -> bytes:
        """The record block: lines of `application/warc-fields`."""
        lines = (
            ("software", self.software),
            ("format", "WARC File Format 1.1"),
            ("conformsTo", _CONFORMS),
            ("http-header-user-agent", self.user_agent),
            ("robots", self.robots),
            ("operator", self.operator),
            ("isPartOf", self.is_part_of),
            *self.described,
        )
        return "".join(f"{name}: {' '.join(value.split())}\r\n" for name, value in lines if value).encode("utf-8")
