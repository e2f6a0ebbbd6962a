"""What is left, and how long one waits, is told from what a page promises."""

import pytest

from strandline.core.changes.words.left_now import is_left_or_waited


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("Noch ", " Plätze frei, ", True),
        ("Quedan ", " entradas para hoy", True),
        ("Il reste ", " places pour ce soir", True),
        ("", " seats are still free for tonight's show", True),
        ("Wachttijd aan de balie: ", " minuten", True),
        ("Temps d'attente au standard : ", " min environ", True),
        ("The maximum waiting time is ", " minutes", False),
        ("Die Wartezeit beträgt ", " Monate", False),
        ("Der Betrieb hat nur noch ", " Mitarbeiter", False),
        ("Noch ", " Tage", False),
        ("Only £", " left", False),
    ],
)
def test_so_it_is(before, after, told):
    assert is_left_or_waited(before, after) is told
