"""The transparency log of the service: its rows, its files, its signer and its policy."""

import os

from coolid.aws.settings import Settings
from coolid.log.entries import origin_of
from coolid.store.log import LogAccess
from coolid.wiring.operator_settings import LOG_POLICY, operator_environment


def open_log_access(settings: Settings, *, writes: bool = False) -> LogAccess | None:
    """Return the transparency log of the service. None if the settings lack its table, bucket or key.

    With `writes`, calls of DynamoDB may take longer than public requests. A log of a database is in it and in a folder
    beside it, such as `coolid.db.log`; None if the settings lack its key.
    """
    origin, policy = origin_of(settings.public_base_url), operator_environment(os.environ).get(LOG_POLICY, "")
    if settings.database:
        from coolid.wiring.database_access import database_access

        return database_access(settings.database).open_log(origin, settings.log_key_file, policy)
    if not settings.has_log():
        return None
    from coolid.aws.dynamodb.log_rows import DynamoLogRows
    from coolid.aws.entropy import SystemEntropy
    from coolid.aws.kms_note_signer import KmsNoteSigner
    from coolid.aws.s3_log_files import S3LogFiles
    from coolid.wiring.boto_clients import LOG_FILES, READS, SIGNING, WRITES, client, dynamodb

    return LogAccess(
        origin,
        DynamoLogRows(dynamodb(WRITES if writes else READS), settings.log_table, SystemEntropy()),
        S3LogFiles(client("s3", LOG_FILES), settings.log_bucket),
        KmsNoteSigner(client("kms", SIGNING), settings.log_key_id),
        policy,
    )
