"""The transparency log of the service: its rows, its files, its signer and its policy."""

import os
from pathlib import Path

from coolid.aws.settings import Settings
from coolid.log.entries import origin_of
from coolid.store.log import LogAccess
from coolid.wiring.operator_settings import LOG_POLICY, operator_environment


def open_log_access(settings: Settings) -> LogAccess | None:
    """Return the transparency log of the service. None if the settings lack its table, bucket or key.

    That of a database is in it and in a folder beside it, such as `coolid.db.log`; None if the settings lack its key.
    """
    if settings.database:
        return _open_database_log(settings) if settings.log_key_file else None
    if not (settings.log_table and settings.log_bucket and settings.log_key_id):
        return None
    from coolid.aws.dynamodb.log_rows import DynamoLogRows
    from coolid.aws.entropy import SystemEntropy
    from coolid.aws.kms_note_signer import KmsNoteSigner
    from coolid.aws.s3_log_files import S3LogFiles
    from coolid.wiring.boto_clients import LOG_FILES, READS, SIGNING, client, dynamodb

    return LogAccess(
        origin_of(settings.public_base_url),
        DynamoLogRows(dynamodb(READS), settings.log_table, SystemEntropy()),
        S3LogFiles(client("s3", LOG_FILES), settings.log_bucket),
        KmsNoteSigner(client("kms", SIGNING), settings.log_key_id),
        operator_environment(os.environ).get(LOG_POLICY, ""),
    )


def _open_database_log(settings: Settings) -> LogAccess:
    from coolid.aws.clock import SystemClock
    from coolid.aws.key_file import KeyFileNoteSigner
    from coolid.sqlite.log.folder import LogFolder
    from coolid.sqlite.log.rows import SqliteLogRows
    from coolid.wiring.database_access import database_access

    database = database_access(settings.database).database
    return LogAccess(
        origin_of(settings.public_base_url),
        SqliteLogRows(database, SystemClock()),
        LogFolder(database.path.with_name(f"{database.path.name}.log")),
        KeyFileNoteSigner(Path(settings.log_key_file)),
        operator_environment(os.environ).get(LOG_POLICY, ""),
    )
