"""Lists whose rows move together, look by look: tickers, free places, votes."""

from itertools import pairwise

from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import study
from strandline.dom.html import blocks


def page(rows):
    listed = "".join(f"<tr><td>{name}</td><td>{value}</td></tr>" for name, value in rows)
    text = "The yard is open every day and lets what it has to whoever comes first, without a queue or a list."
    return blocks(f"<main><h1>Yard</h1><p>{text}</p><table>{listed}</table></main>".encode())


def scores(states):
    noise, pages = NoiseState(), [page(rows) for rows in states]
    return [study(compare(old, new), noise).value for old, new in pairwise(pages)]


NAMES = ("Elm", "Oak", "Ash", "Fir", "Yew", "Box")


def test_rows_that_all_move_at_every_look_say_nothing():
    found = scores([[(name, f"{(7 * look + 13 * k) % 61} free") for k, name in enumerate(NAMES)] for look in range(9)])
    assert max(found[5:]) < 0.015


def test_one_row_that_moves_is_told_on_the_tenth_capture_as_on_the_first():
    def state(look):
        return [(name, f"{40 + look * (name == 'Oak')}.00 EUR") for name in NAMES]

    found = scores([state(look) for look in range(11)])
    assert found[0] > 0.5
    assert found[9] > 0.5


def test_a_price_of_few_that_move_together_stays_one():
    found = scores([[(name, f"{20 + 3 * look + k}.50 EUR") for k, name in enumerate(NAMES[:3])] for look in range(11)])
    assert found[9] > 0.5


def test_numbers_that_all_rose_a_little_count_something_at_the_first_look():
    def state(**other):
        return [(name, other.get(name, f"{30 + 7 * k} frumps")) for k, name in enumerate(NAMES)]

    risen = {name: f"{32 + 8 * k} frumps" for k, name in enumerate(NAMES)}
    assert scores([state(), state(**risen)])[0] < 0.015
    assert scores([state(), state(**risen | {"Oak": "9 frumps"})])[0] > 0.1  # one fell
    assert scores([state(), state(Oak="40 frumps")])[0] > 0.1
    doubled = {name: f"{60 + 14 * k} frumps" for k, name in enumerate(NAMES)}
    assert scores([state(), state(**doubled)])[0] > 0.1
    dearer = {name: text.replace("frumps", "EUR") for name, text in risen.items()}
    priced = [(name, text.replace("frumps", "EUR")) for name, text in state()]
    assert scores([priced, state(**dearer)])[0] > 0.5
