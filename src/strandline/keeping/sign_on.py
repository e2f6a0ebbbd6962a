"""Accounts of people whom a provider of OpenID Connect vouches for, by its name (issuer) and theirs (subject).

Who signs on where is kept as tokens are: the sum of both, with the name of the account. A name alone opens nothing:
whoever is called at a provider as somebody is called here gets an account of another name only from a keeper, or is
linked by one.
"""

import hashlib
import json
import secrets
import time

from strandline.archive.folder import Archive
from strandline.core.keeping.people import Person, PersonToken, person_name
from strandline.errors import UsageError
from strandline.keeping.openid import SignedOn, SignOnError
from strandline.keeping.people import add_person, keep_link, people, person_at, person_tokens

LABEL = "signs on at"
_KEY_BYTES = 4
"""Of the key by which a link is named, as tokens have it. Origin: a guess."""


def sign_on_digest(issuer: str, subject: str) -> str:
    """What is kept of somebody's name at a provider; no token has such a sum."""
    return "oidc:" + hashlib.sha256(json.dumps([issuer, subject]).encode()).hexdigest()


def link_sign_on(archive: Archive, name: str, issuer: str, subject: str, by: str = "") -> PersonToken:
    """From now on a person of the provider is this account; UsageError when they are another one."""
    found, digest = person_at(archive, name), sign_on_digest(issuer, subject)
    held = next((one for one in person_tokens(archive) if one.digest == digest), None)
    if held is not None:
        raise UsageError(f"{subject} signs on as {held.name} already; `people DIR revoke {held.key}` ends that")
    key = secrets.token_hex(_KEY_BYTES)
    made = PersonToken(key, found.name, f"{LABEL} {issuer}"[:80], digest, round(time.time(), 3))
    keep_link(archive, made, by)
    return made


def signed_on(archive: Archive, who: SignedOn, role: str) -> Person:
    """The account of somebody who signed on, or a new one with the role for newcomers; SignOnError for neither."""
    digest = sign_on_digest(who.issuer, who.subject)
    linked = next((one.name for one in person_tokens(archive) if one.digest == digest), "")
    known = {one.name: one for one in people(archive)}
    if linked in known:
        return known[linked]
    if not role:
        raise SignOnError(f"{who.name} has no account here; a keeper can link one to {who.subject}")
    try:
        name = person_name(who.name)
    except ValueError:
        name = f"person {digest[5:13]}"
    if name.casefold() in {one.casefold() for one in known}:
        raise SignOnError(f"there is an account {name} already; a keeper can link it to {who.subject}")
    made = add_person(archive, name, role, by=f"{name} ({who.issuer})")
    link_sign_on(archive, made.name, who.issuer, who.subject, made.name)
    return made
