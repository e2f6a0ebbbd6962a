"""`strandline people`: who may use the interface, and who did what in it."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from strandline.cli.options import Json, Place
from strandline.cli.output import answer, iso
from strandline.errors import UsageError

if TYPE_CHECKING:
    from strandline.archive.folder import Archive
    from strandline.core.keeping.people import Person

ACTS = ("list", "add", "role", "password", "token", "sign-on", "revoke", "remove", "journal")


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command(
        "people",
        epilog="Examples: strandline people ./my-archive add anna keeper; strandline people ./my-archive role anna "
        "reader; strandline people ./my-archive token anna --label laptop; strandline people ./my-archive journal",
    )(people)


def people(
    folder: Place,
    act: Annotated[
        str,
        typer.Argument(
            help="list; add NAME ROLE; role NAME ROLE; password NAME; token NAME; sign-on NAME SUBJECT (at the OpenID "
            "provider); revoke KEY (of a token or sign-on); remove NAME; journal [NAME].",
            metavar="[ACT]",
        ),
    ] = "list",
    name: Annotated[str, typer.Argument(help="Whom it is about.", metavar="[NAME]")] = "",
    role: Annotated[
        str, typer.Argument(help="reader, rater, operator or keeper; of sign-on the subject.", metavar="[ROLE]")
    ] = "",
    label: Annotated[str, typer.Option("--label", help="What a token is for.", metavar="TEXT")] = "",
    no_password: Annotated[
        bool, typer.Option("--no-password", help="Nobody is asked for a password: by token or proxy only.")
    ] = False,
    json_: Json = False,
) -> None:
    """Say who may use the interface, and as what; or tell who did what. Passwords are read from the terminal, or from a
    line of standard input.
    """
    from strandline.app.opening import open_archive
    from strandline.keeping import people as keeping

    if act not in ACTS:
        raise UsageError(f"{act[:40]!r} is none of {', '.join(ACTS)}")
    if act not in ("list", "journal") and not name:
        raise UsageError(f"say whom: strandline people DIR {act} NAME")
    archive = open_archive(folder)
    by = keeping.at_terminal()
    if act == "list":
        _list(archive, json_)
    elif act == "journal":
        for entry in keeping.journal(archive, name):
            told = entry.as_json() | {"time": iso(entry.time)}
            answer(told, f"{iso(entry.time)[:19]}Z  {entry.person}: {entry.act} {entry.target}", json_)
    elif act == "token":
        made, token = keeping.new_token(archive, name, label, by)
        answer({**made.as_json(), "time": iso(made.time), "token": token}, token, json_)
    elif act == "sign-on":
        _sign_on(archive, name, role, by, json_)
    elif act == "revoke":
        gone = keeping.remove_token(archive, name, by=by)
        answer({**gone.as_json(), "time": iso(gone.time)}, f"{gone.key} of {gone.name} opens nothing now", json_)
    else:
        person = _changed(archive, act, (name, role), no_password, by)
        told = person.as_json() | {"time": iso(person.time)}
        answer({"event": act, **told}, f"{person.name}: {'removed' if act == 'remove' else person.role}", json_)


def _changed(archive: "Archive", act: str, whom: tuple[str, str], no_password: bool, by: str) -> "Person":
    from strandline.keeping import people as keeping

    name, role = whom
    if act == "add":
        return keeping.add_person(archive, name, role or "reader", "" if no_password else _password(), by)
    if act == "role":
        return keeping.set_role(archive, name, role, by)
    if act == "password":
        return keeping.set_password(archive, name, "" if no_password else _password(), by)
    return keeping.remove_person(archive, name, by)


def _sign_on(archive: "Archive", name: str, subject: str, by: str, json_: bool) -> None:
    from strandline.keeping.sign_on import link_sign_on

    issuer = archive.settings.people.oidc_issuer
    if not issuer or not subject:
        raise UsageError("say who they are at people.oidc_issuer: strandline people DIR sign-on NAME SUBJECT")
    linked = link_sign_on(archive, name, issuer, subject, by)
    answer({**linked.as_json(), "time": iso(linked.time)}, f"{linked.name} {linked.label}", json_)


def _list(archive: "Archive", json_: bool) -> None:
    from strandline.keeping.people import people, person_tokens

    everybody = people(archive)
    for person in everybody:
        tokens = person_tokens(archive, person.name)
        told = person.as_json() | {"time": iso(person.time)}
        told["tokens"] = [{"key": one.key, "label": one.label, "time": iso(one.time)} for one in tokens]
        listed = "".join(
            f"\n    {'sign-on' if one.digest.startswith('oidc:') else 'token'} {one.key} {one.label}" for one in tokens
        )
        how = "password" if person.password else "no password"
        answer(told, f"{person.role:9} {person.name}  ({how}){listed}", json_)
    if not everybody and not json_:
        print("nobody: the interface is open as `strandline serve` says")


def _password() -> str:
    """A password, typed twice at a terminal; else the first line of standard input."""
    from getpass import getpass

    if not sys.stdin.isatty():
        given = sys.stdin.readline().rstrip("\n")
        if not given:
            raise UsageError("a password is read from standard input; --no-password for none")
        return given
    given = getpass("Password: ")
    if getpass("Again: ") != given:
        raise UsageError("the two are not the same")
    return given
