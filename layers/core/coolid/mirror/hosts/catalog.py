"""The files of all hosts."""

from collections.abc import Iterable

from coolid.mirror.hosts import apache, nginx, static_hosts
from coolid.mirror.hosts.path_forms import normalised, path_forms
from coolid.mirror.records import LossListener, MirroredSite
from coolid.mirror.sources.source import NamedRepository
from coolid.mirror.writer import MirrorWriter


def write_hosts(
    writer: MirrorWriter,
    site: MirroredSite,
    namespaces: Iterable[NamedRepository],
    on_loss: LossListener,
    *,
    plain: bool,
) -> None:
    """Write the configuration of all hosts, and with `plain` the pages that redirect without a configuration.

    `on_loss` receives what a host cannot answer.
    """
    inventory, base, forms = writer.inventory, site.base_path, path_forms(namespaces)
    inventory.collect_spellings(lambda text: normalised(text, forms))
    writer.write_pieces(nginx.HTTP, nginx.write_http(inventory, site, forms, on_loss))
    writer.write(nginx.SERVER, nginx.write_server(base))
    writer.write_pieces(apache.CONFIGURATION, apache.write_configuration(inventory, site, forms, on_loss))
    writer.write_pieces(apache.EXACT, apache.write_spellings(inventory, base, folded=False))
    writer.write_pieces(apache.FOLDED, apache.write_spellings(inventory, base, folded=True))
    writer.write_pieces(apache.ANSWERS, apache.write_answers(inventory))
    inventory.collect_spellings()
    if inventory.record_count() <= apache.MAX_RULES:
        writer.write_pieces(apache.HTACCESS, apache.write_htaccess(inventory, base, on_loss))
    writer.write_pieces(static_hosts.S3, static_hosts.write_s3(inventory, base))
    writer.write_pieces(static_hosts.REDIRECTS_FILE, static_hosts.write_redirects(inventory, base))
    if plain:
        static_hosts.write_pages(writer, base, on_loss)
