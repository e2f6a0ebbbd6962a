"""E-mail to the one server that was configured, over TLS.

`smtps://` speaks TLS from the start, `smtp://` after STARTTLS, which the server has to offer; only a server on this
very machine is spoken to in the clear.
"""

import smtplib
import ssl
from dataclasses import dataclass, field
from email.message import EmailMessage
from urllib.parse import urlsplit

_LOCAL = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where mail is handed in."""

    host: str
    port: int
    tls: bool
    """TLS from the start; otherwise STARTTLS."""
    user: str = ""
    password: str = field(default="", repr=False)
    timeout: float = 30.0


def mail_server(address: str, user: str = "", password: str = "") -> MailServer:
    """A server from its address; ValueError says what is wrong.

    >>> mail_server("smtp://mail.example")
    MailServer(host='mail.example', port=587, tls=False, user='', timeout=30.0)
    """
    parts = urlsplit(address)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.path.strip("/"):
        raise ValueError(f"{address!r} is no mail server; write smtps://mail.example:465 or smtp://mail.example:587")
    if parts.username or parts.password:
        raise ValueError("user and password belong into STRANDLINE_SMTP_USER and STRANDLINE_SMTP_PASSWORD")
    secure = parts.scheme == "smtps"
    local = 25 if parts.hostname in _LOCAL else 587
    return MailServer(parts.hostname, parts.port or (465 if secure else local), secure, user, password)


def send_mail(message: EmailMessage, server: MailServer) -> None:
    """Hand a message in; OSError (smtplib's errors are that) says why it was not taken."""
    context = ssl.create_default_context()
    if server.tls:
        with smtplib.SMTP_SSL(server.host, server.port, timeout=server.timeout, context=context) as session:
            _hand_in(session, message, server)
        return
    with smtplib.SMTP(server.host, server.port, timeout=server.timeout) as session:
        session.ehlo()
        if session.has_extn("starttls"):
            session.starttls(context=context)
            session.ehlo()
        elif server.host not in _LOCAL:
            raise smtplib.SMTPNotSupportedError("the server does not offer STARTTLS; nothing was sent in the clear")
        _hand_in(session, message, server)


def _hand_in(session: smtplib.SMTP, message: EmailMessage, server: MailServer) -> None:
    if server.user:
        session.login(server.user, server.password)
    session.send_message(message)
