"""Every number that was chosen says where it comes from."""

from strandline.app.chosen_numbers import ORIGINS, chosen_numbers, kernel_numbers, numbers_of


def silent(numbers):
    return [
        f"{number.module} {number.name} = {number.value[:40]}: end its docstring with Origin: {', '.join(ORIGINS)}"
        for number in numbers
        if not number.what or not number.origin.startswith(ORIGINS)
    ]


def test_every_number_says_what_it_is_and_where_it_comes_from():
    numbers = chosen_numbers()
    assert len(numbers) > 400
    assert not silent(numbers)


def test_a_number_without_an_origin_is_noticed():
    source = 'A = 1\nB = 2\n"""Of something. Origin: a feeling."""\nC = 3\n"""Hours. Origin: a unit."""\n'
    assert [line.split()[1] for line in silent(numbers_of("plan", "plan/new.py", source))] == ["A", "B"]


def test_what_is_said_of_kernels_is_said_of_numbers_that_are_there():
    there = {(number.module, number.name.split(", ")[0]) for number in chosen_numbers()}
    assert not [
        (module, name) for module, said in kernel_numbers().items() for name in said if (module, name) not in there
    ]
