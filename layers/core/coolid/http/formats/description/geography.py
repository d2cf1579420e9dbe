"""Places by name, position and area, in the members of DataCite's geoLocations (4.6, property 18).

>>> GeoLocation("Geneva", Coordinates("46.2", "6.1")).point
Coordinates(latitude='46.2', longitude='6.1')
"""

from msgspec import Struct


class Coordinates(Struct, frozen=True):
    """A position in decimal degrees (WGS 84), as written."""

    latitude: str
    longitude: str


class Box(Struct, frozen=True):
    """An area between two meridians and two parallels, in decimal degrees (WGS 84), as written."""

    west: str
    east: str
    south: str
    north: str


class Polygon(Struct, frozen=True):
    """An area within a closed line of `points`; `inside` is a point of it, which areas beyond a hemisphere need."""

    points: tuple[Coordinates, ...]
    inside: Coordinates | None = None


class GeoLocation(Struct, frozen=True):
    """A place that the thing is about or comes from: by name, position or area."""

    place: str = ""
    point: Coordinates | None = None
    box: Box | None = None
    polygons: tuple[Polygon, ...] = ()
