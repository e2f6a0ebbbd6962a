"""Addresses that scripts cannot run without: what modules import and export by name (`import a from "./b.js"`).

Script is not parsed: matched are the spellings of static imports, outside comments. Bare names (`import "react"`) are
resolved by an import map or a bundler and name no address. What `import(...)` loads is decided when the script runs.
"""

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"""//[^\n]*+ | /\*.*?(?:\*/|\Z)
      | (?<![\w$.])(?:from|import)\s{0,20}(?P<quote>["'])(?P<named>(?:https?:|\.{0,2}/)[^"'\\\n]{1,2000})(?P=quote)""",
    re.VERBOSE | re.DOTALL,
)
_INLINE = re.compile(
    r"<script\s[^<>]{0,500}?\btype\s*=\s*[\"']?module\b[^<>]{0,500}>(.*?)</script", re.IGNORECASE | re.DOTALL
)


def addresses(script: str) -> Iterator[str]:
    """Addresses of the modules a script imports, as they are written.

    >>> list(addresses('import {a} from "./a.js"; export * from "https://c.example/c.js"; import "vue"'))
    ['./a.js', 'https://c.example/c.js']
    >>> list(addresses('/* import "./not.js" */ const from = "./this.js"'))
    []
    """
    if "import" not in script and "export" not in script:
        return
    for match in _TOKEN.finditer(script):
        if match["named"]:
            yield match["named"]


def inline_addresses(page: str) -> Iterator[str]:
    """The same of the modules written into a page."""
    for script in _INLINE.finditer(page):
        yield from addresses(script[1])
