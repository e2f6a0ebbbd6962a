"""The policy that is sent with every answer of the replay origin and keeps archived pages inside."""

from functools import lru_cache


@lru_cache(maxsize=64)
def confining_headers(interface: str, runs: bool, frames_open: bool = False) -> list[tuple[bytes, bytes]]:
    """The policy. `interface` may frame the page (empty: a page inside another), `runs` says that it was rewritten.

    Frames inside archived pages have an opaque origin above them, which no list of ancestors can name. Frames from
    `data:` and `blob:` are out: script in them would run without the client side, which alone takes WebRTC away.
    `frames_open` is for browsers of our own that have no network, in which a page and its frames are read as one.
    """
    framed = f"frame-ancestors 'self' {interface}; " if interface else ""
    allowed = " allow-scripts allow-forms" if runs else ""
    csp = (
        "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self' data: blob:; "
        f"form-action 'self'; {framed}object-src 'none'; base-uri 'self'; worker-src 'self' blob:; frame-src 'self'; "
        f"sandbox{allowed}{' allow-same-origin' if frames_open else ''}"
    )
    return [
        (b"content-security-policy", csp.encode()),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-resource-policy", b"cross-origin"),
        (b"service-worker-allowed", b"/_/none/"),
        (b"x-dns-prefetch-control", b"off"),
        (b"permissions-policy", b"geolocation=(), camera=(), microphone=(), usb=(), serial=(), payment=()"),
    ]
