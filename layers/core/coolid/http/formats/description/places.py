"""The places of a thing: DataCite's geoLocations, schema.org's spatialCoverage, and the kernel's `where`.

>>> next(geo_locations({"spatialCoverage": {"name": "Geneva", "geo": {"latitude": 46.2, "longitude": 6.1}}})).point
Coordinates(latitude='46.2', longitude='6.1')
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from coolid.http.formats.description.geography import Box, Coordinates, GeoLocation, Polygon
from coolid.http.formats.description.json_values import Members, each_of, in_members, member, objects_in, text_of
from coolid.http.formats.uris import uri_of
from coolid.http.message import compiled

_PLACES: Final = ("geoLocations", "geoLocation", "spatialCoverage", "spatial", "contentLocation", "locationCreated")

MEMBERS: Final = frozenset((*_PLACES, "where", "locations"))
"""The members that this module reads."""


def geo_locations(metadata: Members) -> Iterator[GeoLocation]:
    """Yield the places; the kernel's `where` is one unless it is a URI."""
    for item in in_members(metadata, _PLACES):
        if isinstance(item, Mapping):
            found = _place(item)
            if found != GeoLocation():
                yield found
        elif text := text_of(item):
            yield GeoLocation(text)
    for item in each_of([each.get("features") for each in objects_in(metadata, "locations")]):
        if isinstance(item, Mapping) and (found := _feature(item)) != GeoLocation():
            yield found
    for item in in_members(metadata, ("where",)):
        if (text := text_of(item)) and not uri_of(text):
            yield GeoLocation(text)


def _place(value: Members) -> GeoLocation:
    geo = [value, *(each for each in each_of(value.get("geo")) if isinstance(each, Mapping))]
    points = (
        point
        for each in geo
        for name in ("geoLocationPoint", "")
        if (point := _point(each.get(name, each if not name else None)))
    )
    boxes = (box for each in geo if (box := _box(each.get("geoLocationBox")) or _shape_box(each.get("box"))))
    shapes = [
        item
        for each in geo
        for name in ("geoLocationPolygons", "geoLocationPolygon", "polygon")
        for item in _polygons(each.get(name))
    ]
    return GeoLocation(
        text_of(value, "geoLocationPlace", "name", "address"), next(points, None), next(boxes, None), tuple(shapes)
    )


def _feature(value: Members) -> GeoLocation:
    """Return the place of InvenioRDM, which has a point of GeoJSON (RFC 7946: the longitude is first)."""
    match value.get("geometry"):
        case {"type": "Point", "coordinates": [longitude, latitude, *_]}:
            point = _point({"latitude": latitude, "longitude": longitude})
        case _:
            point = None
    return GeoLocation(text_of(value, "place"), point)


def _point(value: Any) -> Coordinates | None:
    if not isinstance(value, Mapping):
        return None
    latitude = _degrees(member(value, "pointLatitude", "latitude"), 90)
    longitude = _degrees(member(value, "pointLongitude", "longitude"), 180)
    return Coordinates(latitude, longitude) if latitude and longitude else None


def _box(value: Any) -> Box | None:
    names = {"westBoundLongitude": 180, "eastBoundLongitude": 180, "southBoundLatitude": 90, "northBoundLatitude": 90}
    found = [_degrees(member(value, name), most) for name, most in names.items()] if isinstance(value, Mapping) else []
    return Box(*found) if found and all(found) else None


def _degrees(text: str, most: int) -> str:
    """Return a number of degrees in its shortest form, or an empty text if it is none.

    >>> _degrees("26.20", 90), _degrees("-0", 90), _degrees("91", 90)
    ('26.2', '0', '')
    """
    if (
        not compiled(r"[+-]?[0-9]{1,3}(?:\.[0-9]{1,20})?(?:[eE]-?[0-9]{1,2})?").fullmatch(text)
        or abs(float(text)) > most
    ):
        return ""
    return f"{float(text) + 0:.12g}"


def _shape_box(value: Any) -> Box | None:
    """Return the box of schema.org's `GeoShape`: the south-western and the north-eastern corner."""
    numbers = text_of(value).replace(",", " ").split()
    if len(numbers) != 4:
        return None
    south, west, north, east = (
        _degrees(number, most) for number, most in zip(numbers, (90, 180, 90, 180), strict=True)
    )
    return Box(west, east, south, north) if south and west and north and east else None


def _polygons(value: Any) -> Iterator[Polygon]:
    """Yield the polygons of DataCite's REST API, of its schema, and of schema.org (a text of pairs)."""
    if isinstance(value, str):
        numbers = text_of(value).replace(",", " ").split()
        pairs = zip(numbers[::2], numbers[1::2], strict=False)
        points = tuple(point for each in pairs if (point := _point({"latitude": each[0], "longitude": each[1]})))
        if len(points) > 2:
            yield Polygon(points)
        return
    entries = value if isinstance(value, list) else [value]
    nested = [each for each in entries if isinstance(each, list)]
    for each in nested:
        yield from _polygons(each)
    flat = [each for each in entries if isinstance(each, Mapping)]
    listed = [each.get("polygonPoints", each.get("polygonPoint", each)) for each in flat]
    points = tuple(point for each in each_of(listed) if (point := _point(each)))
    inside = next((point for each in flat if (point := _point(each.get("inPolygonPoint")))), None)
    if len(points) > 2:
        yield Polygon(points, inside)


def position_of(place: GeoLocation) -> Iterator[str]:
    """Yield the name of a place, and its position and areas (DCMI Point and Box encoding schemes; WKT for polygons).

    >>> list(position_of(GeoLocation("Geneva", Coordinates("46.2", "6.1"))))
    ['Geneva', 'east=6.1; north=46.2']
    """
    if place.place:
        yield place.place
    if place.point:
        yield f"east={place.point.longitude}; north={place.point.latitude}"
    if box := place.box:
        limits = {"westlimit": box.west, "eastlimit": box.east, "southlimit": box.south, "northlimit": box.north}
        yield "; ".join(f"{name}={value}" for name, value in limits.items())
    for polygon in place.polygons:
        yield "POLYGON ((" + ", ".join(f"{each.longitude} {each.latitude}" for each in polygon.points) + "))"
