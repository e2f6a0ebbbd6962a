"""One question to a language model behind an address that speaks the OpenAI protocol (`chat/completions`).

Sent as a message is (`webhook`): behind the policy of addresses, without redirects, within a deadline. Whatever the
other side does (no answer, 429, 500, something that is no JSON, an answer without end) is a problem in words.
"""

import json
from dataclasses import dataclass, replace
from typing import Any, Final

from strandline.fetch.resolve import Lookup, system_lookup
from strandline.fetch.webhook import Posted, PostOptions, post

LARGEST: Final = 256 * 1024
"""Bytes of an answer that are read; a longer one is none."""
LONGEST: Final = 4_000
"""Letters of an answer that are kept."""
LETTERS_A_TOKEN: Final = 3
"""To estimate tokens where the model does not count them: rather too many than too few."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is sent."""

    model: str
    order: str
    """What is wanted, in the system's voice."""
    text: str
    """What it is about."""
    most_tokens: int = 300
    """Of the answer."""

    @property
    def estimate(self) -> int:
        """Tokens it may cost."""
        return (len(self.order) + len(self.text)) // LETTERS_A_TOKEN + self.most_tokens


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: a text, or a problem."""

    text: str
    tokens: int
    """That were paid for, as far as is known."""
    problem: str = ""


def ask_model(
    address: str, question: Question, key: str, options: PostOptions, lookup: Lookup = system_lookup
) -> Reply:  # fmt: skip
    """Ask, and wait for the answer. Never raises for what the other side does."""
    body = {
        "model": question.model,
        "messages": [{"role": "system", "content": question.order}, {"role": "user", "content": question.text}],
        "max_tokens": question.most_tokens,
        "temperature": 0,
        "stream": False,
    }
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    found = post(f"{address.rstrip('/')}/chat/completions", data, headers, replace(options, keep=LARGEST), lookup)
    if not found.taken:
        return Reply("", 0, _refused(found))
    return _reply(found.body, question)


def _refused(found: Posted) -> str:
    again = f", to be asked again after {found.retry_after}" if found.retry_after else ""
    return f"{found.detail}{again}"


def _reply(body: bytes, question: Question) -> Reply:
    """The text of an answer; one that cannot be read is paid for all the same."""
    try:
        said: Any = json.loads(body)
        text = said["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return Reply("", question.estimate, "the answer is not one of the protocol")
    if not isinstance(text, str) or not text.strip():
        return Reply("", question.estimate, "the answer is empty")
    usage = said.get("usage")
    tokens = usage.get("total_tokens") if isinstance(usage, dict) else None
    counted = tokens if isinstance(tokens, int) and 0 < tokens < 10**9 else question.estimate
    return Reply(" ".join(text.split())[:LONGEST], counted)
