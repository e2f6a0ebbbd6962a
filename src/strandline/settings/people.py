"""Who is let into the interface without a password of ours."""

from strandline.core.quick_dataclass import dataclass
from strandline.settings.setting import setting

_ROLES = ("", "reader", "rater", "operator", "keeper")


@dataclass(frozen=True, slots=True)
class PeopleSettings:
    """People who are vouched for by others: a reverse proxy, or a server of OpenID Connect."""

    proxy_header: str = setting(
        "",
        "Field in which a reverse proxy says who asks, such as X-Remote-User; the proxy must take out one that a "
        "browser sent.",
        form="header_name",
    )
    proxy_addresses: tuple[str, ...] = setting(
        (), 'Addresses the proxy asks from, the only ones that are believed: "127.0.0.1/32".', form="block"
    )
    proxy_role: str = setting(
        "", "Role of those the proxy names and `strandline people` does not; empty: none.", choices=_ROLES
    )
    oidc_issuer: str = setting(
        "",
        "A provider of OpenID Connect whose people may sign on, as it calls itself: https://login.example.org/a; its "
        "secret, if it gave one, is in STRANDLINE_OIDC_SECRET.",
        form="link",
    )
    oidc_client: str = setting("", "What the provider calls this archive (client id).", form="line")
    oidc_role: str = setting(
        "", "Role of those who sign on for the first time; empty: only accounts a keeper linked.", choices=_ROLES
    )
    oidc_name: str = setting(
        "preferred_username", "What the provider tells of somebody that becomes the name.", form="line"
    )
