"""Labels: the words before an identifier that name its scheme, such as `PubMed ID:` or `CAS No.`

A label is compared without case, spaces and punctuation. Words that can precede or follow any label (`ID`, `No.`,
`accession`) are left out. Registered prefixes, synonyms and titles are labels, too; this table has the others, and
those that need no colon in prose.

>>> label_in(("UniProtKB", "accession", "number")), label_in(("CAS", "No.")), label_in(("page",))
(('uniprot', 'uniprot.isoform'), ('cas',), ())
"""

import re
from collections.abc import Sequence
from typing import Final
from unicodedata import combining, normalize

MAX_WORDS: Final = 5
"""The words of the longest label."""

_SYMBOL: Final = re.compile("[^0-9a-z]+")
_WORD: Final = re.compile("[0-9a-z.]+")
_ABBREVIATED: Final = re.compile(r"([^()]+) \(([^()]+)\):?")
_GENERIC: Final = frozenset({
    "ac", "acc", "accession", "accessions", "article", "code", "eintrag", "entry", "id", "identifiant", "identifier",
    "identifiers", "identifikationsnummer", "identifikator", "ids", "kennung", "key", "link", "n", "nb", "no", "nos",
    "notice", "nr", "num", "number", "numbers", "numero", "nummer", "record", "ref", "reference", "registriernummer",
    "registrierungsnummer", "resource", "term", "uid", "unique", "uri", "url", "version",
})  # fmt: skip
_LABELS_BY_PREFIX: Final = {
    "ark": "ark, archival resource key",
    "arxiv": "arxiv, arxiv id, arxiv e-print, arxiv preprint, eprint, arxivid",
    "bibcode": "bibcode, ads bibcode, ads, nasa ads, adsabs",
    "biomodels.db": "biomodels",
    "bioproject": "bioproject, ncbi bioproject",
    "biosample": "biosample, ncbi biosample",
    "cas": "cas, cas rn, casrn, cas registry, cas registry number, cas number, cas reg no",
    "cellosaurus": "cellosaurus, cvcl",
    "chebi": "chebi",
    "chembl.compound": "chembl, chembl compound",
    "clinicaltrials": "nct, clinicaltrials.gov, clinical trial, trial, trial registration, clinical trial registration",
    "dbsnp": "dbsnp, snp, refsnp, rsid",
    "doi": "doi, digital object identifier, doi name, dois, doi.org, https doi.org",
    "drugbank": "drugbank",
    "ec": "ec, enzyme commission, ec number, enzyme commission number",
    "ensembl": "ensembl, ensembl gene, ensembl transcript, ensembl protein",
    "geo": "geo, gene expression omnibus, ncbi geo",
    "genbank": "genbank, gb, ncbi genbank, genbank nucleotide",
    "gnd": "gnd, dnb, de588, gemeinsame normdatei",
    "go": "gene ontology, go term",
    "hdl": "hdl, handle, handle net, hdl.handle.net",
    "hgnc": "hgnc, hgnc symbol report",
    "igsn": "igsn",
    "inchikey": "inchikey, inchi key, standard inchikey",
    "insdc.sra": "sra, ncbi sra, sequence read archive",
    "interpro": "interpro",
    "isbn": "isbn, isbn10, isbn13, eisbn, isbn e, pisbn, print isbn, ebook isbn, online isbn, isbn ebook, isbn print,"
    " international standard book, isbn imprime, isbn numerique, isbn gedruckt, isbn druck,"
    " isbn online, isbn electronic, isbn epub, isbn pdf, urn isbn",
    "isni": "isni, international standard name",
    "issn": "issn, issnl, eissn, pissn, e issn, p issn, issn e, issn p, print issn, online issn, electronic issn,"
    " issn print, issn online, issn electronic, linking issn, issn linking, web issn, cd issn, urn issn,"
    " international standard serial, issn imprime, issn electronique, issn en ligne, issn gedruckt, issn elektronisch",
    "kegg": "kegg",
    "lccn": "lccn, library of congress control, lc control, loc control",
    "lei": "lei, legal entity",
    "mesh": "mesh, mesh descriptor, mesh term, mesh heading, medical subject heading",
    "mondo": "mondo",
    "ncbigene": "ncbi gene, entrez gene, entrez, gene id, geneid, ncbi gene id, locuslink",
    "ncbitaxon": "taxon, taxon id, taxid, txid, ncbi taxonomy, ncbi taxon, ncbi taxid, ncbi txid, taxonomy",
    "oclc": "oclc, ocolc, ocn, ocm, worldcat, oclc control",
    "omim": "omim, mim, mendelian inheritance in man",
    "openalex": "openalex",
    "orcid": "orcid, orcidid, orcid.org, orcid id",
    "pdb": "pdb, pdbid, rcsb pdb, wwpdb, protein data bank, pdb entry, rcsb",
    "pfam": "pfam",
    "pmc": "pmc, pmcid, pubmed central, pubmedcentral, europe pmc",
    "pubchem.compound": "pubchem, pubchem cid, pubchem compound",
    "pubchem.substance": "pubchem sid, pubchem substance",
    "pubmed": "pmid, pubmed, pubmedid, medline pmid, pubmed pmid, medline",
    "reactome": "reactome",
    "refseq": "refseq, ncbi reference sequence, ncbi refseq, reference sequence",
    "ror": "ror, rorid, research organization registry",
    "rrid": "rrid",
    "swh": "swhid, software heritage, software heritage id, swh",
    "uniprot": "uniprot, sp, tr, uniprotkb, swissprot, swiss prot, uniprotkb swiss prot, uniprotkb trembl, trembl",
    "uniprot.isoform": "uniprot, uniprotkb",
    "urn": "urn",
    "viaf": "viaf",
    "wikidata": "wikidata, wikidata item, wikidata qid, qid, wikidata entity",
    "zenodo.record": "zenodo record",
}
"""The labels of each prefix, after a comma each. A prefix that is not registered may be a scheme."""

PREFIXES: Final = frozenset(_LABELS_BY_PREFIX)


def label_key(words: Sequence[str]) -> str:
    """Return the form in which labels are compared, without case, accents and punctuation.

    >>> label_key(("ISSN", "(online):")), label_key(("E-", "ISSN")), label_key(("Numéro",))
    ('issnonline', 'eissn', 'numero')
    """
    return _SYMBOL.sub("", _without_accents("".join(words)))


def _without_accents(text: str) -> str:
    """Return the text in lower case and without accents."""
    if text.isascii():
        return text.lower()
    return "".join(each for each in normalize("NFKD", text.lower()) if not combining(each))


def _index() -> dict[str, tuple[str, ...]]:
    labels = ((label, prefix) for prefix, labels in _LABELS_BY_PREFIX.items() for label in labels.split(","))
    index: dict[str, tuple[str, ...]] = {}
    for label, prefix in labels:
        index[label_key((label,))] = (*index.get(label_key((label,)), ()), prefix)
    return index | {"isxn": ("isbn", "issn"), "sn": ("isbn", "issn")}


LABELS: Final = _index()
"""The prefixes of each label, by its `label_key`."""


def label_in(words: Sequence[str]) -> tuple[str, ...]:
    """Return the prefixes that these words are a label of; empty if they are none.

    A label can have its abbreviation or a remark behind it, in brackets.

    >>> label_in(("Numéro", "CAS")), label_in(("GND-Nummer",)), label_in(("Digital", "Object", "Identifier", "(DOI)"))
    (('cas',), ('gnd',), ('doi',))
    """
    found = LABELS.get(label_key(words))
    if found:
        return found
    found = LABELS.get(label_key(without_generic(_WORD.findall(_without_accents(" ".join(words))))))
    if found:
        return found
    abbreviated = _ABBREVIATED.fullmatch(" ".join(words)) if ")" in words[-1] else None
    if abbreviated is None:
        return ()
    prefixes, bracketed = label_in(abbreviated[1].split()), label_in(abbreviated[2].split())
    return tuple(each for each in prefixes if each in bracketed) if bracketed else prefixes


def without_generic(words: Sequence[str]) -> Sequence[str]:
    """Return the words without those that can precede or follow any label."""
    start, end = 0, len(words)
    while end > 1 and label_key(words[end - 1 : end]) in _GENERIC:
        end -= 1
    while start < end - 1 and label_key(words[start : start + 1]) in _GENERIC:
        start += 1
    return words[start:end]
