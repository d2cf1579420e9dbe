"""The transparency log of the service: its rows, its files, its signer and its policy."""

import os

from coolid.aws.settings import Settings
from coolid.log.entries import origin_of
from coolid.store.log import LogAccess
from coolid.wiring.operator_settings import LOG_POLICY, operator_environment


def open_log_access(settings: Settings) -> LogAccess | None:
    """Return the transparency log of the service. None if the settings lack its table, bucket or key."""
    if settings.database or not (settings.log_table and settings.log_bucket and settings.log_key_id):
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
