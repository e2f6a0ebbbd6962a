"""Where the interface and replay are reached."""

from strandline.core.quick_dataclass import dataclass
from strandline.settings.setting import PORT, setting


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """The interface and replay."""

    host: str = setting(
        "127.0.0.1", "Address to listen on. Anything but loopback needs a token (STRANDLINE_TOKEN).", form="host"
    )
    port: int = setting(8080, "Port of the interface.", bounds=PORT)
    replay_port: int = setting(
        8081,
        "Port of archived content: another origin, so that archived script cannot reach the interface.",
        bounds=PORT,
    )
    names: tuple[str, ...] = setting(
        (), "Further names under which the server is reached, through a reverse proxy.", form="host"
    )
    behind_tls: bool = setting(False, "A front end speaks TLS on both ports: addresses are https, cookies Secure.")
    address: str = setting(
        "",
        "Where the interface is reached from outside, https://archive.example/: hubs that feeds name (WebSub) are "
        "asked to tell of news there. Empty: feeds are only polled.",
        form="link",
    )
