"""The pages of publishers and databases whose URLs are made from an identifier, by host.

Each host has rows of a pattern for the path and a template for the identifier. A row with a parameter has a pattern
for the parameter's whole value instead. The registry's URL patterns (`coolid.resolution.url_patterns`) recognise all
other pages. A row is needed only where these lack the page, or where a DOI is the better identifier of the same thing.

>>> page_identifier("www.nature.com", "articles/s41586-020-2649-2.pdf", ())
'doi:10.1038/s41586-020-2649-2'
>>> page_identifier("uniprot.org", "uniprotkb/P0DP23/entry", ()), page_identifier("uniprot.org", "help/about", ())
('uniprot:P0DP23', None)
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple


class PageUrl(NamedTuple):
    """The `path` of a page begins with this pattern; its groups fill the `template` of the identifier.

    With `parameter`, the groups are those of the parameter's whole value, whose pattern is `value`.
    """

    path: str
    template: str
    parameter: str = ""
    value: str = ""


_ARXIV: Final = r"(?:arxiv:)?([0-9]{4}\.[0-9]{4,5}(?:v[0-9]+)?|[a-z-]+(?:\.[a-z]{2})?/[0-9]{7}(?:v[0-9]+)?)"
_DIGITS: Final = "([0-9]+)"
_UNIPROT: Final = r"([opq][0-9][a-z0-9]{3}[0-9]|[a-nr-z][0-9](?:[a-z][a-z0-9]{2}[0-9]){1,2})"
_GENE: Final = r"(ens[a-z]*[gtpe][0-9]{11}(?:\.[0-9]+)?)"
_GND: Final = r"([0-9]{1,9}-?[0-9X])"
_WIKIDATA: Final = r"((?:[QPE]|L)[0-9]+)"

_MDPI: Final = {
    "1099-4300": ("e", 12), "1420-3049": ("molecules", 15), "1422-0067": ("ijms", 11), "1424-8220": ("s", 9),
    "1660-3397": ("md", 8), "1660-4601": ("ijerph", 7), "1996-1073": ("en", 3), "1996-1944": ("ma", 3),
    "1999-4893": ("a", 3), "1999-4915": ("v", 2), "1999-4923": ("pharmaceutics", 2), "1999-5903": ("fi", 2),
    "2071-1050": ("su", 2), "2072-4292": ("rs", 2), "2072-6643": ("nu", 2), "2072-6651": ("toxins", 2),
    "2072-666X": ("mi", 2), "2072-6694": ("cancers", 2), "2073-4360": ("polym", 2), "2073-4395": ("agronomy", 2),
    "2073-4409": ("cells", 1), "2073-4425": ("genes", 1), "2073-4433": ("atmos", 1), "2073-4441": ("w", 2),
    "2073-8994": ("sym", 2), "2075-163X": ("min", 1), "2075-4418": ("diagnostics", 1), "2075-4450": ("insects", 1),
    "2076-0817": ("pathogens", 1), "2076-2607": ("microorganisms", 1), "2076-2615": ("ani", 1),
    "2076-3263": ("geosciences", 1), "2076-3417": ("app", 1), "2076-3921": ("antiox", 1), "2076-393X": ("vaccines", 1),
    "2077-0383": ("jcm", 1), "2077-1312": ("jmse", 1), "2078-2489": ("info", 2), "2079-4991": ("nano", 1),
    "2079-6382": ("antibiotics", 1), "2079-9292": ("electronics", 1), "2218-1989": ("metabo", 1),
    "2218-273X": ("biom", 1), "2218-6581": ("robotics", 1), "2220-9964": ("ijgi", 1), "2223-7747": ("plants", 1),
    "2227-7390": ("math", 1), "2227-9032": ("healthcare", 1), "2304-6775": ("publications", 1),
    "2304-8158": ("foods", 1), "2306-5729": ("data", 1), "2504-4990": ("make", 1),
}  # fmt: skip
"""The beginning of a journal's DOIs by its ISSN, and the first volume whose DOIs have the numbers of the URL."""

_PREPRINTS: Final = {
    "psyarxiv": "31234", "socarxiv": "31235", "osf": "31219", "metaarxiv": "31222", "edarxiv": "35542",
    "thesiscommons": "31237", "biohackrxiv": "37044", "africarxiv": "31730",
}  # fmt: skip
"""The DOI registrant of preprints at OSF, by service."""

_PUBLISHERS: Final[dict[str, tuple[PageUrl, ...]]] = {
    "biorxiv.org": (
        PageUrl(
            r"content/(?:\w+/)?early/[0-9/]+/([0-9]{4}\.[0-9]{2}\.[0-9]{2}\.[0-9]{6,8}|[0-9]{6})", "doi:10.1101/{0}"
        ),
    ),
    "medrxiv.org": (
        PageUrl(r"content/(?:\w+/)?early/[0-9/]+/([0-9]{4}\.[0-9]{2}\.[0-9]{2}\.[0-9]{6,8})", "doi:10.1101/{0}"),
    ),
    "copernicus.org": (
        PageUrl(r"articles/([0-9]+)/([0-9]+)/([0-9]{4})", "doi:10.5194/{host}-{0}-{1}-{2}"),
        PageUrl(r"preprints/([a-z]+-[0-9]{4}-[0-9]+)", "doi:10.5194/{0}"),
    ),
    "data.mendeley.com": (
        PageUrl(r"(?:public-)?datasets/([a-z0-9]{10})/([0-9]+)", "doi:10.17632/{0}.{1}"),
        PageUrl(r"(?:public-)?datasets/([a-z0-9]{10})", "doi:10.17632/{0}"),
    ),
    "dl.acm.org": (PageUrl("citation.cfm", "doi:10.1145/{0}", "id", r"([0-9]{5,}\.[0-9]{5,})"),),
    "elifesciences.org": (
        PageUrl(r"(?:articles|reviewed-preprints)/([0-9]{5,6})(?:v[0-9]+)?", "doi:10.7554/eLife.{0}"),
        PageUrl(r"content/[0-9]+/e([0-9]{5,6})(?:v[0-9]+)?", "doi:10.7554/eLife.{0}"),
    ),
    "figshare.com": (
        PageUrl(r"articles/(?:[^/]+/){0,2}([0-9]{4,})/v?([0-9]+)", "doi:10.6084/m9.figshare.{0}.v{1}"),
        PageUrl(r"articles/(?:[^/]+/){0,2}([0-9]{4,})", "doi:10.6084/m9.figshare.{0}"),
        PageUrl(r"collections/(?:[^/]+/)?([0-9]{4,})/([0-9]+)", "doi:10.6084/m9.figshare.c.{0}.v{1}"),
        PageUrl(r"collections/(?:[^/]+/)?([0-9]{4,})", "doi:10.6084/m9.figshare.c.{0}"),
    ),
    "hindawi.com": (PageUrl(r"journals/[a-z]+/([0-9]{4})/([0-9]{6,})", "doi:10.1155/{0}/{1}"),),
    "jstatsoft.org": (
        PageUrl(r"(?:index\.php/jss/)?(?:article/view/)?v([0-9]{3})([ibcs][0-9]{2})", "doi:10.18637/jss.v{0}.{1}"),
    ),
    "karger.com": (PageUrl(r"Article/\w+/([0-9]{4,9})", "doi:10.1159/{0:0>9}"),),
    "mdpi.com": tuple(
        PageUrl(rf"{issn}/({volumes})/([0-9]+)/([0-9]+)", f"doi:10.3390/{journal}{{0}}{{1:0>2}}{{2:0>4}}")
        for issn, (journal, first) in _MDPI.items()
        for volumes in ["|".join(map(str, range(first, 60)))]
    ),
    "nature.com": (
        PageUrl(r"articles/((?:[a-z]+\.)*[a-z]*[0-9][a-z0-9-]*(?:\.[0-9]+)*)", "doi:10.1038/{0}"),
        PageUrl(
            r"\w+/(?:journal/|\w+/)[^?]*/(?:full|abs|pdf|extref|suppinfo)/([a-z]{2,}[0-9.]*[0-9])", "doi:10.1038/{0}"
        ),
    ),
    "opg.optica.org": (PageUrl("", "doi:10.1364/{0}.{1}.{2:0>6}", "uri", "([a-z]+)-([0-9]+)-[0-9]+-([0-9]+)"),),
    "osf.io": (
        *(
            PageUrl(rf"preprints/{service}/([a-z0-9]{{5}}(?:_v[0-9]+)?)", f"doi:10.{registrant}/osf.io/{{0}}")
            for service, registrant in _PREPRINTS.items()
        ),
        PageUrl(r"preprints/([a-z0-9]{5}(?:_v[0-9]+)?)(?=/?$)", "doi:10.31219/osf.io/{0}"),
    ),
    "psyarxiv.com": (PageUrl(r"([a-z0-9]{5})", "doi:10.31234/osf.io/{0}"),),
    "papers.ssrn.com": (PageUrl(r"sol3/(?:papers|Delivery)", "doi:10.2139/ssrn.{0}", "abstract(?:_?id)?", _DIGITS),),
    "ssrn.com": (PageUrl("abstract=([0-9]+)", "doi:10.2139/ssrn.{0}"),),
    "pangaea.de": (PageUrl(r"(?:10\.1594/)?(pangaea\.[0-9]+)", "doi:10.1594/{0}"),),
    "peerj.com": (
        PageUrl(r"articles/([0-9]+)", "doi:10.7717/peerj.{0}"),
        PageUrl(r"articles/(cs|pchem|matsci|ochem|ichem|achem)-([0-9]+)", "doi:10.7717/peerj-{0}.{1}"),
        PageUrl(r"preprints/([0-9]+)", "doi:10.7287/peerj.preprints.{0}"),
    ),
    "preprints.org": (
        PageUrl(r"manuscript/([0-9]{6}\.[0-9]{4})/(?:download/)?(v[0-9]+)", "doi:10.20944/preprints{0}.{1}"),
    ),
    "pubs.rsc.org": (
        PageUrl(r"\w+/content/article\w+/[0-9]{4}/[a-z]+/([a-z][0-9][a-z]{2}[0-9]{5}[a-z])", "doi:10.1039/{0}"),
    ),
    "researchsquare.com": (PageUrl(r"article/((?:rs|pex)-[0-9]+)/(v[0-9]+)", "doi:10.21203/rs.3.{0}/{1}"),),
    "thelancet.com": (
        PageUrl(r"(?:[^?]*/)?PII(S[0-9]{4}-[0-9]{3}[0-9X]\([0-9]{2}\)[0-9]{5}-[0-9X])", "doi:10.1016/{0}"),
    ),
    "zenodo.org": (
        PageUrl(r"(?:api/)?records?/([0-9]+)", "doi:10.5281/zenodo.{0}"),
        PageUrl(r"deposit/([0-9]+)", "zenodo.record:{0}"),
    ),
}
_DATABASES: Final[dict[str, tuple[PageUrl, ...]]] = {
    "alphafold.ebi.ac.uk": (PageUrl(rf"(?:entry|files)/(?:AF-)?{_UNIPROT}", "uniprot:{0}"),),
    "arxiv.org": (PageUrl(rf"(?:abs|e-print|format|html|pdf|ps|src|tb)/{_ARXIV}", "arxiv:{0}"),),
    "ar5iv.labs.arxiv.org": (PageUrl(rf"(?:abs|html)/{_ARXIV}", "arxiv:{0}"),),
    "ar5iv.org": (PageUrl(rf"(?:abs|html)/{_ARXIV}", "arxiv:{0}"),),
    "alphaxiv.org": (PageUrl(rf"(?:abs|pdf|overview)/{_ARXIV}", "arxiv:{0}"),),
    "xxx.lanl.gov": (PageUrl(rf"(?:abs|pdf)/{_ARXIV}", "arxiv:{0}"),),
    "clinicaltrials.gov": (
        PageUrl(r"(?:ct2/)?(?:show|study|results|archive)/(?:\w+/)?(NCT[0-9]{8})", "clinicaltrials:{0}"),
    ),
    "commonchemistry.cas.org": (PageUrl("detail", "cas:{0}", "cas_rn", "([0-9]{2,7}-[0-9]{2}-[0-9])"),),
    "d-nb.info": (PageUrl(rf"gnd/{_GND}", "gnd:{0}"),),
    "drugbank.ca": (PageUrl(r"drugs/(DB[0-9]{5})", "drugbank:{0}"),),
    "go.drugbank.com": (PageUrl(r"drugs/(DB[0-9]{5})", "drugbank:{0}"),),
    "ebi.ac.uk": (
        PageUrl(r"chebi/searchid\.do", "chebi:{0}", "chebiid", r"(?:CHEBI:)?([0-9]+)"),
        PageUrl(r"chebi/(?:CHEBI:)?([0-9]+)", "chebi:{0}"),
        PageUrl(r"quickgo/term/GO:([0-9]{7})", "go:{0}"),
        PageUrl(r"interpro/entry/interpro/(IPR[0-9]{6})", "interpro:{0}"),
        PageUrl(r"pdbe/(?:entry|entry-files|pdbe-kb/structures)/(?:pdb/|download/)?([0-9][a-z0-9]{3})", "pdb:{0}"),
        PageUrl(r"pdbe/pdbe-kb/proteins/" + _UNIPROT, "uniprot:{0}"),
        PageUrl(r"pdbe-srv/view/entry/([0-9][a-z0-9]{3})", "pdb:{0}"),
        PageUrl(r"chembl/(?:g/#)?(?:explore/)?compound(?:_report_card)?/(CHEMBL[0-9]+)", "chembl.compound:{0}"),
        PageUrl(r"chembl/(?:g/#)?(?:explore/)?target(?:_report_card)?/(CHEMBL[0-9]+)", "chembl.target:{0}"),
        PageUrl(r"ena/(?:browser/view|data/view|portal/api/\w+)/(PRJ[DEN][A-Z][0-9]+)", "bioproject:{0}"),
        PageUrl(r"ena/(?:browser/view|data/view|portal/api/\w+)/([SED]R[APRSXZ][0-9]+)", "insdc.sra:{0}"),
        PageUrl(r"ena/(?:browser/view|data/view|portal/api/\w+)/(SAM[NED][A-Z]?[0-9]+)", "biosample:{0}"),
        PageUrl(r"biostudies/(?:arrayexpress/)?studies/(E-[A-Z]{4}-[0-9]+)", "arrayexpress:{0}"),
        PageUrl("ols", "{0}", "obo_id", r"(\w+:\w+)"),
        PageUrl("ols", "{0}:{1}", "short_form", r"([A-Za-z]+)_(\w+)"),
    ),
    "ensembl.org": (
        PageUrl(rf"(?:\w+/)?(?:id|Gene|Transcript)/{_GENE}", "ensembl:{0}"),
        PageUrl(r"\w+/(?:Gene|Transcript|geneview|transview)", "ensembl:{0}", "g|gene|t|p|db_key", _GENE),
    ),
    "europepmc.org": (
        PageUrl(r"(?:articles?|abstract)/(?:pmc/)?(PMC[0-9]+)", "pmc:{0}"),
        PageUrl(r"(?:articles?|abstract)/pmc/([0-9]+)", "pmc:PMC{0}"),
        PageUrl(r"(?:articles?|abstract)/med/([0-9]+)", "pubmed:{0}"),
        PageUrl(r"(?:articles?|abstract)/ppr/(PPR[0-9]+)", "ppr:{0}"),
    ),
    "explore.gnd.network": (PageUrl(rf"gnd/{_GND}", "gnd:{0}"),),
    "genome.jp": (PageUrl(r"(?:entry|dbget-bin/www_bget)[/?](?:\w+:)?([CDGHKMRT][0-9]{5})", "kegg:{0}"),),
    "isni.org": (PageUrl(r"page/([0-9]{15}[0-9X])", "isni:{0}"),),
    "lobid.org": (PageUrl(rf"gnd/{_GND}", "gnd:{0}"),),
    "meshb.nlm.nih.gov": (PageUrl("record/ui", "mesh:{0}", "ui", "([CDQ][0-9]+)"),),
    "nbn-resolving.org": (PageUrl(r"(?:resolver/?|redirect/)?(urn:nbn:[!-~]*[0-9A-Za-z])", "nbn:{0}"),),
    "ncbi.nlm.nih.gov": (
        PageUrl(rf"(?:m/)?pubmed/{_DIGITS}", "pubmed:{0}"),
        PageUrl(r"(?:m/)?pubmed", "pubmed:{0}", "term|list_uids", r"([0-9]{4,9})(?:\[[a-z]+\])?"),
        PageUrl(r"entrez/query\.fcgi", "pubmed:{0}", "list_uids", r"([0-9]{4,9})"),
        PageUrl(r"(?:labs/|m/)?pmc/articles/(PMC[0-9]+)", "pmc:{0}"),
        PageUrl(r"(?:labs/|m/)?pmc/articles/([0-9]+)", "pmc:PMC{0}"),
        PageUrl(r"pmc/articles/pmid/([0-9]+)", "pubmed:{0}"),
        PageUrl(r"gene/([0-9]+)", "ncbigene:{0}"),
        PageUrl(r"gene", "ncbigene:{0}", "term|list_uids", r"([0-9]+)(?:\[uid\])?"),
        PageUrl(r"(?:datasets/)?taxonomy/([0-9]+)", "ncbitaxon:{0}"),
        PageUrl(r"(?:datasets/)?taxonomy", "ncbitaxon:{0}", "id|term", r"([0-9]+)(?:\[uid\])?"),
        PageUrl(r"bioproject/(PRJ[DEN][A-Z][0-9]+)", "bioproject:{0}"),
        PageUrl(r"biosample/(SAM[NED][A-Z]?[0-9]+)", "biosample:{0}"),
        PageUrl(r"assembly/(GC[AF]_[0-9]{9}(?:\.[0-9]+)?)", "ncbi.assembly:{0}"),
        PageUrl(r"sra", "insdc.sra:{0}", "term|run|acc", r"([SED]R[APRSXZ][0-9]+)"),
        PageUrl(r"traces/", "insdc.sra:{0}", "run|acc", r"([SED]R[APRSXZ][0-9]+)"),
        PageUrl(r"geo/query/acc\.cgi", "geo:{0}", "acc", r"(G(?:PL|SM|SE|DS)[0-9]+)"),
        PageUrl(r"sites/GDSbrowser", "geo:{0}", "acc", r"(GDS[0-9]+)"),
        PageUrl(r"snp/(rs[0-9]+)", "dbsnp:{0}"),
        PageUrl(r"mesh/(?:68|67|81|82)?([CDQ][0-9]{6,})", "mesh:{0}"),
        PageUrl(r"(?:gap|projects/gap)/", "dbgap:{0}", "study_id", r"(phs[0-9]{6}(?:\.v[0-9]+\.p[0-9]+)?)"),
    ),
    "pubmed.ncbi.nlm.nih.gov": (
        PageUrl(r"([0-9]+)", "pubmed:{0}"),
        PageUrl(r"", "pubmed:{0}", "term", r"([0-9]{4,9})(?:\[[a-z]+\])?"),
    ),
    "pmc.ncbi.nlm.nih.gov": (
        PageUrl(r"articles/(?:instance/)?(PMC[0-9]+)", "pmc:{0}"),
        PageUrl(r"articles/(?:instance/)?([0-9]+)", "pmc:PMC{0}"),
        PageUrl(r"articles/pmid/([0-9]+)", "pubmed:{0}"),
    ),
    "pubmedcentral.nih.gov": (
        PageUrl(r"", "pmc:PMC{0}", "artid", "([0-9]+)"),
        PageUrl(r"articles/(PMC[0-9]+)", "pmc:{0}"),
    ),
    "openalex.org": (PageUrl(r"(?:works|authors|sources|institutions|concepts)/([WASIC][0-9]+)", "openalex:{0}"),),
    "orcid.org": (PageUrl(r"", "orcid:{0}", "orcid", r"([0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X])"),),
    "pdbj.org": (PageUrl(r"(?:mine/\w+|emnavi/quick\.php)/([0-9][a-z0-9]{3})", "pdb:{0}"),),
    "pubchem.ncbi.nlm.nih.gov": (
        PageUrl(r"compound/([0-9]+)", "pubchem.compound:{0}"),
        PageUrl(r"substance/([0-9]+)", "pubchem.substance:{0}"),
    ),
    "purl.obolibrary.org": (PageUrl(r"obo/([A-Za-z]+)_([0-9]+)", "{0}:{1}"),),
    "rcsb.org": (
        PageUrl(r"(?:structure|3d-view|3d-sequence|sequence|annotations|experimental)/([0-9][a-z0-9]{3})", "pdb:{0}"),
        PageUrl(r"pdb/explore", "pdb:{0}", "structureid|pdbid", r"([0-9][a-z0-9]{3})"),
    ),
    "files.rcsb.org": (PageUrl(r"(?:view|download|header)/([0-9][a-z0-9]{3})", "pdb:{0}"),),
    "wwpdb.org": (PageUrl(r"pdb", "pdb:{0}", "id", r"pdb_0000([0-9][a-z0-9]{3})"),),
    "uniprot.org": (
        PageUrl(rf"uniprot(?:kb)?/{_UNIPROT}(?![0-9a-z_-])", "uniprot:{0}"),
        PageUrl(r"taxonomy/([0-9]+)", "ncbitaxon:{0}"),
        PageUrl(r"citations/([0-9]+)", "pubmed:{0}"),
    ),
    "viaf.org": (PageUrl(r"(?:[a-z]{2}/)?viaf/([0-9]+)", "viaf:{0}"),),
    "wikidata.org": (
        PageUrl(rf"wiki/(?:Special:Entity(?:Data|Page)/|(?:Property|Lexeme):)?{_WIKIDATA}", "wikidata:{0}"),
        PageUrl(rf"prop/(?:\w+/)*{_WIKIDATA}", "wikidata:{0}"),
        PageUrl("w/index.php", "wikidata:{0}", "title", rf"(?:Property:|Lexeme:)?{_WIKIDATA}"),
    ),
    "m.wikidata.org": (PageUrl(rf"wiki/(?:Property:|Lexeme:)?{_WIKIDATA}", "wikidata:{0}"),),
    "worldcat.org": (
        PageUrl(r"(?:[a-z]{2}/)?(?:oclc|title(?:/[^/]+/oclc)?)/([0-9]+)", "oclc:{0}"),
        PageUrl(r"(?:[a-z]{2}/)?isbn/([0-9]{9}[0-9X](?:[0-9]{3})?)", "isbn:{0}"),
        PageUrl(r"(?:[a-z]{2}/)?issn/([0-9]{4}-[0-9]{3}[0-9X])", "issn:{0}"),
    ),
}  # fmt: skip
PAGES: Final = _PUBLISHERS | _DATABASES
_CAPITALS: Final = frozenset({
    "bioproject", "biosample", "chembl.compound", "chembl.target", "clinicaltrials", "drugbank", "ensembl", "geo",
    "insdc.sra", "interpro", "kegg", "mesh", "ncbi.assembly", "openalex", "pmc", "ppr", "uniprot", "wikidata",
})  # fmt: skip
"""The prefixes whose identifiers have capitals, which URLs often have in lower case."""
_WITHOUT_SUBDOMAINS: Final = frozenset({"figshare.com", "nature.com", "osf.io", "zenodo.org"})
"""Hosts whose subdomains have other DOIs: of institutions, or of a sandbox."""
_BOUNDARY: Final = "(?![0-9A-Za-z])"


def page_identifier(host: str, path: str, parameters: Sequence[tuple[str, str]]) -> str | None:
    """Return the identifier in a decoded path without its leading slash or in the decoded parameters, or None.

    The pages of a host are usually also those of its subdomains.
    """
    for page in _pages(host.lower()):
        for match in _matches(page, path, parameters):
            filled = page.template.format(*match.groups(), host=host.partition(".")[0])
            prefix, colon, identifier = filled.partition(":")
            return f"{prefix}{colon}{identifier.upper()}" if prefix in _CAPITALS else filled
    return None


def _pages(host: str) -> Iterator[PageUrl]:
    labels = host.removeprefix("www.").split(".")
    for at in range(len(labels) - 1):
        name = ".".join(labels[at:])
        if at == 0 or name not in _WITHOUT_SUBDOMAINS:
            yield from PAGES.get(name, ())


def _matches(page: PageUrl, path: str, parameters: Sequence[tuple[str, str]]) -> Iterator[re.Match[str]]:
    match = re.match(page.path + ("" if page.parameter else _BOUNDARY), path, re.IGNORECASE)
    if match is None:
        return
    if not page.parameter:
        yield match
        return
    for name, value in parameters:
        if re.fullmatch(page.parameter, name, re.IGNORECASE):
            found = re.fullmatch(page.value, value.strip(), re.IGNORECASE)
            if found:
                yield found
