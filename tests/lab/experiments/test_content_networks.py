"""Networks that learn what content is: the slope they go down is that of the loss, and where it leads."""

from collections import Counter

import numpy as np
import pytest

from strandline.lab.experiments import content_networks
from strandline.lab.experiments.content_examples import Example
from strandline.lab.experiments.content_networks import networks


def loss(weights, pages, log_loss):
    total = 0.0
    for page in pages:
        leaning = np.maximum(page.read @ weights.hidden + weights.bias, 0.0) @ weights.out + weights.start[0]
        scores = 1.0 / (1.0 + np.exp(-leaning))
        agreement = 2.0 * (page.words * scores * page.labels).sum() / (page.words * (scores + page.labels)).sum()
        surprise = -(page.labels * np.log(scores) + (1.0 - page.labels) * np.log(1.0 - scores))
        total += log_loss * (page.weights * surprise).sum() + 2.0 * (1.0 - log_loss) * (1.0 - agreement)
    return total / len(pages)


@pytest.mark.parametrize("log_loss", [0.0, 0.3, 1.0])
def test_slope_is_that_of_the_loss(log_loss):
    rng = np.random.default_rng(3)
    weights = content_networks._Weights(rng.normal(size=(5, 4)), rng.normal(size=4), rng.normal(size=4), np.ones(1))
    pages = [
        content_networks._Page(
            rng.normal(size=(count, 5)), rng.random(count), rng.integers(1, 90, count) * 1.0, rng.random(count)
        )
        for count in (3, 7)
    ]
    slope = content_networks._slope(weights, pages, log_loss)
    for values, rising in zip(weights, slope, strict=True):
        for place in np.ndindex(values.shape):
            kept, found = values[place], []
            for change in (1e-6, -1e-6):
                values[place] = kept + change
                found.append(loss(weights, pages, log_loss))
            values[place] = kept
            assert (found[0] - found[1]) / 2e-6 == pytest.approx(rising[place], abs=2e-4)


def made_page(number, foretold=True):
    """Twenty runs, of which those with a large first number are content; or the others, where nobody could tell."""
    rng = np.random.default_rng(number)
    rows = rng.random((20, 4)).astype(np.float32) * 9
    labels = ((rows[:, 0] > 4) == foretold).astype(float)
    words = tuple(("word",) * 10 for _ in labels)
    weights = np.full(20, 10.0) / max(10.0 * labels.sum(), 60.0)
    return Example(f"{number}.example", rows, words, labels, weights, Counter({"word": int(10 * labels.sum())}))


def test_networks_learn_what_most_pages_say():
    pages = [made_page(number, foretold=number % 5 != 0) for number in range(60)]
    nets = networks(pages)
    rows = np.array([[8, 1, 1, 1], [1, 8, 8, 8]], np.float32)
    content, other = nets.log_odds(rows).tolist()
    assert content > 1.0
    assert other < -1.0
    assert nets.bias.size == content_networks.UNITS * len(content_networks.SEEDS)


def test_what_is_learned_is_the_same_each_time():
    pages = [made_page(number) for number in range(12)]
    one, other = networks(pages), networks(pages)
    assert np.array_equal(one.hidden, other.hidden)
    assert np.array_equal(one.out, other.out)
