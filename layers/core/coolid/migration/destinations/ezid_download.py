"""A batch download as EZID writes it, in ANVL or XML, for `coolid import --from ezid` and other tools."""

from collections.abc import Iterable, Iterator

from coolid.http.dialects.ezid.download_formats import DownloadFormat, download_entry
from coolid.migration.destinations.exported_identifiers import Destination, ExportedIdentifier, LossListener
from coolid.migration.source_identifiers import Loss


def writer(format_name: str) -> Destination:
    """Return the writer of a format, `anvl` or `xml`."""

    def write(identifiers: Iterable[ExportedIdentifier], on_loss: LossListener) -> Iterator[bytes]:
        """See `Destination`."""
        form, is_first = DownloadFormat.named(format_name), True
        yield form.beginning.encode()
        for each in identifiers:
            entry = download_entry(each.record, each.repository)
            if len(each.record.records) > 1:
                on_loss(Loss(entry.identifier, "it has several locations; EZID has the first active one"))
            if each.record.alternates:
                on_loss(Loss(entry.identifier, "EZID has no alternates"))
            yield form.entry(entry, is_first=is_first).encode()
            is_first = False
        yield form.end.encode()

    return write
