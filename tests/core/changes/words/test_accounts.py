"""Numbers of accounts: told by their check digits."""

import pytest

from strandline.core.changes.edits.meaning import edit_weight
from strandline.core.changes.words.accounts import accounts
from strandline.core.changes.words.contacts import contacts
from strandline.core.changes.words.ticking import tick_form


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("IBAN: DE89 3704 0044 0532 0130 00", ["DE89 3704 0044 0532 0130 00"]),
        ("IBAN DE89370400440532013000, BIC COBADEFFXXX", ["DE89370400440532013000"]),
        ("to GB29 NWBK 6016 1331 9268 19 at once", ["GB29 NWBK 6016 1331 9268 19"]),
        ("BE71 0961 2345 6769 BIC GKCC", ["BE71 0961 2345 6769"]),
        ("Wallet bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", ["bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"]),
        ("IBAN: DE88 3704 0044 0532 0130 00", []),
        ("Session DE9A 3704 0C44", []),
        ("Order AB12 3456", []),
        ("", []),
    ],
)
def test_accounts_are_found_by_their_form(text, found):
    assert list(accounts(text)) == found


def test_another_account_is_another_contact_and_never_ticks():
    before, after = "Konto DE89370400440532013000", "Konto DE44500105175407324931"
    assert contacts(before) != contacts(after)
    assert tick_form(before, after) == ""
    edit = edit_weight(before, after)
    assert (edit.kind, edit.after) == ("contact", "DE44500105175407324931")
    assert edit.weight >= 0.5


def test_a_token_that_only_looks_like_one_goes_on_ticking():
    assert tick_form("Session AB12CD34EF56GH78", "Session ZZ98YX76WV54UT32") == "identifier"
