"""The places of a thing in schema.org and, as well-known text (OGC 06-103r4), in DCAT.

>>> schema_place(GeoLocation("Kiel", Coordinates("54.32", "10.13")))["geo"]
{'@type': 'GeoCoordinates', 'latitude': '54.32', 'longitude': '10.13'}
>>> dcat_place(GeoLocation(box=Box("-10", "10", "50", "60")))["dcat:bbox"]["@value"]
'POLYGON ((-10 50, 10 50, 10 60, -10 60, -10 50))'
"""

from coolid.http.formats.description.geography import Box, Coordinates, GeoLocation, Polygon
from coolid.http.formats.linked_data.nodes import Node, compact, literal

_TEXT = "geo:wktLiteral"


def schema_place(place: GeoLocation) -> Node:
    """Return a place for `spatialCoverage`; positions are latitude before longitude, areas from the south-west."""
    shapes = []
    if place.point:
        position = {"latitude": place.point.latitude, "longitude": place.point.longitude}
        shapes.append({"@type": "GeoCoordinates", **position})
    if place.box:
        box = place.box
        shapes.append({"@type": "GeoShape", "box": f"{box.south} {box.west} {box.north} {box.east}"})
    for polygon in place.polygons:
        points = " ".join(f"{each.latitude} {each.longitude}" for each in polygon.points)
        shapes.append({"@type": "GeoShape", "polygon": points})
    return compact({"@type": "Place", "name": place.place, "geo": shapes})


def dcat_place(place: GeoLocation) -> Node:
    """Return a place for `dct:spatial`; positions are longitude before latitude."""
    return compact(
        {
            "@type": "dct:Location",
            "rdfs:label": place.place,
            "dcat:centroid": place.point and literal(f"POINT ({_pair(place.point)})", _TEXT),
            "dcat:bbox": place.box and literal(_box(place.box), _TEXT),
            "geo:hasGeometry": [
                {"@type": "geo:Geometry", "geo:asWKT": literal(_ring(each), _TEXT)} for each in place.polygons
            ],
        }
    )


def _pair(point: Coordinates) -> str:
    return f"{point.longitude} {point.latitude}"


def _ring(polygon: Polygon) -> str:
    return f"POLYGON (({', '.join(map(_pair, polygon.points))}))"


def _box(box: Box) -> str:
    corners = ((box.south, box.west), (box.south, box.east), (box.north, box.east), (box.north, box.west))
    return _ring(Polygon(tuple(Coordinates(*corner) for corner in (*corners, corners[0]))))
