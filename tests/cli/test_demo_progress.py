"""What the demonstration says while it works."""

from strandline.cli.demo_progress import Bar


def test_elsewhere_than_on_a_terminal_only_lines_are_written():
    written = []
    with Bar(live=False, write=written.append) as bar:
        bar.say("It begins.", 0.1)
        bar.move(0.5, "half of it")
        bar.say("It ends.", 1.0)
    assert written == ["It begins.\n", "It ends.\n"]


def test_a_terminal_sees_how_far_it_is_and_the_bar_never_goes_back():
    written = []
    with Bar(live=True, write=written.append) as bar:
        bar.say("It begins.", 0.1)
        bar.move(0.5, "half of it\x1b[2J")
        bar.move(0.2, "late news")
        bar.say("It goes on.")
    text = "".join(written)
    assert "[###..." in text
    assert " 50%  half of it" in text
    assert " 50%  late news" in text
    assert " 20%" not in text
    assert "\x1b" not in text
    assert written[-1].startswith("\r"), "the bar is taken away at the end"
    assert all(len(piece) <= 82 for piece in written)
