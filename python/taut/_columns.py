"""Names of columns, and of points: "a" for "a.x", "a.y", "a.z"; "a.dot"; "p.a"."""
from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Union

Place = Union[int, slice, list[int]]


class Columns:
    """Where the columns with these names are."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names: tuple[str, ...] = tuple(names)
        self._places = {name: i for i, name in enumerate(self.names)}

    def find(self, name: str) -> Place:
        """One column, or those of a point: a slice where they are adjacent."""
        if name in self._places:
            return self._places[name]
        base, end = (name[:-4], ".dot") if name.endswith(".dot") else (name, "")
        parts = [self._places[part] for part in (f"{base}.{letter}{end}" for letter in "wxyz") if part in self._places]
        if not parts:
            near = difflib.get_close_matches(name, self.names, 1)
            raise KeyError(f"no column {name!r}" + (f"; there is {near[0]!r}" if near else ""))
        if parts == list(range(parts[0], parts[0] + len(parts))):
            return slice(parts[0], parts[-1] + 1)
        return parts

    def indices(self, names: Sequence[str]) -> list[int]:
        """Of some columns and points."""
        found: list[int] = []
        for name in names:
            found += as_list(self.find(name))
        return found


def as_list(place: Place) -> list[int]:
    if isinstance(place, slice):
        return list(range(place.start, place.stop))
    return [place] if isinstance(place, int) else place
