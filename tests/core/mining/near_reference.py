"""Paper 000 by the book: sets, fractions and recursion, written from the definitions alone. Slow on purpose."""

import itertools
import math
from fractions import Fraction


def directories(path):
    parts = path.split("/")
    return [tuple(parts[:depth]) for depth in range(len(parts))]  # () is the site root


def nodes_of(version):
    """Every node of a version: pages with their digest, directories with None."""
    found = {}
    for path, digest in version.items():
        found[("page", tuple(path.split("/")))] = digest
        for directory in directories(path):
            found[("directory", directory)] = None
    return found


def inside(node, directory):
    kind, parts = node
    if kind == "directory":
        return parts[: len(directory)] == directory
    return len(parts) > len(directory) and parts[: len(directory)] == directory


def degree_of_change(before, after, directory):
    old = {node: digest for node, digest in nodes_of(before).items() if inside(node, directory)}
    new = {node: digest for node, digest in nodes_of(after).items() if inside(node, directory)}
    union = old.keys() | new.keys()
    if not union:
        return Fraction(0)
    changed = [n for n in union if (n in old) != (n in new) or (n[0] == "page" and old[n] != new[n])]
    return Fraction(len(changed), len(union))


class Reference:
    def __init__(self, versions, alpha):
        self.transitions = len(versions) - 1
        self.directories = sorted({d for version in versions for path in version for d in directories(path)})
        tops = [d for d in self.directories if len(d) == 1]
        pages_in_root = any("/" not in path for version in versions for path in version)
        if len(tops) == 1 and not pages_in_root:
            self.directories.remove(())  # one top directory: it is the root
        self.bits = {
            d: [float(degree_of_change(a, b, d)) >= alpha for a, b in itertools.pairwise(versions)]
            for d in self.directories
        }

    def together(self, chain):
        return sum(all(self.bits[d][i] for d in chain) for i in range(self.transitions))

    def foc(self, chain):
        return self.together(chain) / self.transitions

    def coc(self, chain, y, degenerate):
        total, left, right, both = (
            self.transitions, self.together(chain), self.together([y]), self.together([*chain, y])
        )  # fmt: skip
        if left in (0, total) or right in (0, total):
            return -1.0 if degenerate == "never-together" and left and not both else 0.0
        return (total * both - left * right) / math.sqrt(left * (total - left) * right * (total - right))

    def confidence(self, chain, y):
        left = self.together(chain)
        return (left - self.together([*chain, y])) / left if left else 0.0

    def rules_from(self, n, thresholds, gamma):
        """Every chain from n and every directory below its last member, as far as no definition speaks against it."""

        def is_rule(chain, y):
            return (
                self.foc(chain) >= thresholds.beta
                and self.foc([*chain, y]) < thresholds.beta
                and self.coc(chain, y, thresholds.degenerate) <= -gamma + 1e-12
                and self.confidence(chain, y) >= thresholds.theta
            )

        def on_the_way(first, y):
            return [y[:depth] for depth in range(len(first), len(y)) if y[:depth] in self.bits]

        def tail_subsumed(chain, y):
            return any(is_rule(chain, d) for d in on_the_way(chain[-1], y) if d != chain[-1])

        def head_subsumed(chain, y):
            return any(
                self.foc([*(member for member in chain if len(member) < len(d)), d]) >= thresholds.beta
                for d in on_the_way(chain[0], y)
                if d not in chain
            )

        found = []
        for y in self.directories:
            if len(y) <= len(n) or y[: len(n)] != n:
                continue
            between = on_the_way(n, y)[1:]
            for length in range(len(between) + 1):
                for others in itertools.combinations(between, length):
                    chain = [n, *others]
                    if is_rule(chain, y) and not tail_subsumed(chain, y) and not head_subsumed(chain, y):
                        found.append((tuple(chain), y))
        return found

    def mine(self, thresholds):
        found = []
        for n in self.directories:
            if not self.together([n]) or self.foc([n]) < thresholds.beta:
                continue
            gammas = (0.5, 0.45, 0.4, 0.35, 0.3) if thresholds.gamma is None else (thresholds.gamma,)
            found += next(filter(None, (self.rules_from(n, thresholds, gamma) for gamma in gammas)), [])
        return found

    def is_rule(self, chain, y, thresholds):
        gamma = 0.3 if thresholds.gamma is None else thresholds.gamma
        return (
            self.foc(chain) >= thresholds.beta
            and self.foc([*chain, y]) < thresholds.beta
            and self.coc(chain, y, thresholds.degenerate) <= -gamma + 1e-12
            and self.confidence(chain, y) >= thresholds.theta
        )
