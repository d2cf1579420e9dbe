"""The URLs of the Bioregistry that the import corrects, because they lack the beginning of an identifier."""

from typing import Final

BEGINNINGS: Final = {
    "biodeep": "BioDeep_", "biomodels.kisao": "KISAO_", "biomodels.teddy": "TEDDY_", "cellosaurus": "CVCL_",
    "gramene.taxonomy": "GR_tax:", "imex": "IM-", "lrg": "LRG_", "mamo": "MAMO_", "mint": "MINT-",
    "miriam.collection": "MIR:", "miriam.resource": "MIR:", "obi": "OBI_", "opb": "OPB_", "orphanet.ordo": "Orphanet_",
    "probonto": "PROB_", "psipar": "PAR:", "ro": "RO_", "storedb": "STOREDB:", "tair.gene": "Gene:",
    "tair.protein": "AASequence:",
}  # fmt: skip
_DEFAULTS: Final = frozenset({"biodeep", "lrg", "miriam.collection", "miriam.resource", "storedb"})


def corrected_url(prefix: str, code: str, url: str, identifier: str) -> str:
    """Return the URL of an identifier at a provider as it is here, from that of the Bioregistry.

    >>> corrected_url("lrg", "default", "https://lrg.example/1.xml", "1")
    'https://lrg.example/LRG_1.xml'
    """
    if code == "n2t" or (code == "default" and prefix in _DEFAULTS) or (prefix, code) == ("imex", "ebi"):
        before, found, after = url.rpartition(identifier)
        return before + BEGINNINGS.get(prefix, "") + found + after
    return url
