"""Shapes for drawings that the server makes: treemaps, bars and lines as plain numbers; templates make SVG of them."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, in units of the drawing."""

    x: float
    y: float
    width: float
    height: float


def treemap(sizes: Sequence[float], width: float, height: float) -> list[Box]:
    """Boxes whose areas are as the sizes (largest first), as square as they can be.

    Bruls, Huizing and van Wijk, "Squarified Treemaps" (2000): boxes are added to a row along the shorter side as long
    as the worst proportion in it gets better.

    >>> [(box.x, box.y, box.width, box.height) for box in treemap([3, 1], 4, 1)]
    [(0.0, 0.0, 3.0, 1.0), (3.0, 0.0, 1.0, 1.0)]
    """
    total = sum(sizes)
    if not sizes or total <= 0 or width <= 0 or height <= 0:
        return [Box(0.0, 0.0, 0.0, 0.0) for _ in sizes]
    areas = [size * width * height / total for size in sizes]
    boxes: list[Box] = []
    x = y = 0.0
    start = 0
    while start < len(areas):
        side = min(width, height)
        end = start + 1
        while end < len(areas) and _worst(areas[start : end + 1], side) <= _worst(areas[start:end], side):
            end += 1
        row = areas[start:end]
        depth = sum(row) / side if side else 0.0
        place = 0.0
        for area in row:
            length = area / depth if depth else 0.0
            if width >= height:
                boxes.append(Box(x, y + place, depth, length))
            else:
                boxes.append(Box(x + place, y, length, depth))
            place += length
        if width >= height:
            x, width = x + depth, width - depth
        else:
            y, height = y + depth, height - depth
        start = end
    return boxes


def _worst(row: Sequence[float], side: float) -> float:
    """The worst proportion of the boxes of a row along a side."""
    total = sum(row)
    if total <= 0 or min(row) <= 0:
        return float("inf")
    return max(side * side * max(row) / (total * total), total * total / (side * side * min(row)))


def polyline(values: Sequence[float], width: float, height: float, most: float = 1.0) -> str:
    """Points of a line through values between 0 and `most`, evenly spaced, for an SVG polyline.

    >>> polyline([0, 0.5, 1], 100, 50)
    '0,50 50,25 100,0'
    """
    if not values:
        return ""
    step = width / max(1, len(values) - 1)
    points = (
        (number * step, height - height * min(max(value / most, 0.0), 1.0)) for number, value in enumerate(values)
    )
    return " ".join(f"{x:.5g},{y:.5g}" for x, y in points)


def band(low: Sequence[float], high: Sequence[float], width: float, height: float) -> str:
    """Points of the area between two lines of shares, for an SVG polygon."""
    if not low:
        return ""
    there = polyline(high, width, height)
    back = " ".join(reversed(polyline(low, width, height).split()))
    return f"{there} {back}"
