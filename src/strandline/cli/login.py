"""`strandline login`: sites that show their pages only to who is logged in."""

from pathlib import Path
from typing import Annotated

import typer

from strandline.cli.options import Json, Place
from strandline.cli.output import as_json, printable, tell
from strandline.core.wording import counted
from strandline.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command("login", epilog="Example: strandline login ./my-archive https://example.org/ --cookies cookies.txt")(
        login
    )


def login(
    folder: Place,
    url: Annotated[str, typer.Argument(help="An address of the site; without it, sites with a login.")] = "",
    cookies: Annotated[Path | None, typer.Option(help="A file of cookies (Netscape's format, cookies.txt).")] = None,
    basic: Annotated[
        bool,
        typer.Option(
            "--basic", help="Name and password of STRANDLINE_LOGIN_NAME and STRANDLINE_LOGIN_PASSWORD, over HTTP."
        ),
    ] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Forget the logins of the site.")] = False,
    json_: Json = False,
) -> None:
    """Log in to a site: in a window, or with cookies from a file. Logins are kept encrypted and stand in no capture."""
    from strandline.app.opening import open_archive
    from strandline.keeping.logins import forget_login, import_cookies, keep_password, login_in_window, login_sites

    archive = open_archive(folder)
    if (cookies is not None) + basic + forget > 1:
        raise UsageError("--cookies, --basic and --forget cannot go together")
    if not url:
        if cookies is not None or basic or forget:
            raise UsageError("name an address of the site")
        found = login_sites(archive)
        if json_:
            as_json({"sites": found})
        else:
            print("\n".join(map(printable, found)) or "no logins; `strandline login DIR URL` keeps one")
        return
    if forget:
        gone = forget_login(archive, url)
        as_json({"site": gone, "forgotten": True}) if json_ else tell(f"the logins of {printable(gone)} are forgotten")
        return
    if cookies is not None:
        kept = import_cookies(archive, url, cookies)
    elif basic:
        kept = keep_password(archive, url)
    else:
        tell("log in in the window that opens, then close it")
        kept = login_in_window(archive, url)
    if json_:
        as_json({"site": kept.site, "cookies": kept.cookies, "password": kept.password, "resumed": kept.resumed})
        return
    what = "name and password" if kept.password else counted(kept.cookies, "cookie")
    tell(f"{what} kept for {printable(kept.site)}{'; the site is no longer paused' if kept.resumed else ''}")
