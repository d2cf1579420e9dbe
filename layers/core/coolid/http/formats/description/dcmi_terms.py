"""The properties of DCMI Metadata Terms for DataCite's types of dates and of relations (4.6, properties 8 and 12).

Other dates are `date`, other relations are `relation`.
"""

from typing import Final

DATES: Final = {
    "Accepted": "dateAccepted",
    "Available": "available",
    "Copyrighted": "dateCopyrighted",
    "Coverage": "temporal",
    "Created": "created",
    "Issued": "issued",
    "Submitted": "dateSubmitted",
    "Updated": "modified",
    "Valid": "valid",
}
RELATIONS: Final = {
    "Cites": "references",
    "HasMetadata": "isReferencedBy",
    "HasPart": "hasPart",
    "HasTranslation": "hasVersion",
    "HasVersion": "hasVersion",
    "IsCitedBy": "isReferencedBy",
    "IsDerivedFrom": "source",
    "IsNewVersionOf": "replaces",
    "IsObsoletedBy": "isReplacedBy",
    "IsPartOf": "isPartOf",
    "IsPreviousVersionOf": "isReplacedBy",
    "IsPublishedIn": "isPartOf",
    "IsReferencedBy": "isReferencedBy",
    "IsRequiredBy": "isRequiredBy",
    "IsVersionOf": "isVersionOf",
    "Obsoletes": "replaces",
    "References": "references",
    "Requires": "requires",
}
