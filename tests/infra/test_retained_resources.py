"""The resources that outlive the stack: tables and the signing key."""

from datetime import timedelta

import pytest

from coolid.model.jobs import LIFETIME
from tests.infra.stack import TABLES, URL, of_type, resources, template

RETAINED = ["SigningKey", "JobBucket", "JobBucketPolicy", "LogBucket", "LogBucketPolicy", "LogKey"]
"""Besides the tables."""


class TestWhatIsKept:
    @pytest.mark.parametrize("name", [*TABLES, *RETAINED])
    def test_it_outlives_the_stack_and_a_replacement(self, name: str) -> None:
        assert resources()[name]["DeletionPolicy"] == "Retain"
        assert resources()[name]["UpdateReplacePolicy"] == "Retain"

    @pytest.mark.parametrize("name", TABLES)
    def test_a_table_is_on_demand_encrypted_protected_and_restorable_to_any_moment(self, name: str) -> None:
        table = resources()[name]["Properties"]
        assert table["BillingMode"] == "PAY_PER_REQUEST"
        assert table["SSESpecification"] == {"SSEEnabled": True}
        assert table["DeletionProtectionEnabled"] is True
        assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}

    def test_there_is_no_other_table_but_the_index_of_searches_which_is_computed_from_them(self) -> None:
        """A rollback to a release without it deletes it, so that the next deployment computes it again."""
        assert list(of_type("AWS::DynamoDB::Table")) == [*TABLES, "IndexTable"]
        index = resources()["IndexTable"]
        assert (index["DeletionPolicy"], index["UpdateReplacePolicy"]) == ("Delete", "Delete")
        assert index["Properties"]["SSESpecification"] == {"SSEEnabled": True}

    @pytest.mark.parametrize(
        ("name", "keys"),
        [
            ("PrefixTable", [("name", "S", "HASH")]),
            ("LuiTable", [("pid", "S", "HASH"), ("version", "N", "RANGE")]),
            ("ClientTable", [("id", "S", "HASH")]),
            ("RequestTable", [("id", "S", "HASH")]),
            ("PulseTable", [("owner", "S", "HASH"), ("name", "S", "RANGE")]),
            ("JobTable", [("id", "S", "HASH")]),
            ("LogTable", [("name", "S", "HASH")]),
        ],
    )
    def test_a_tables_keys_are_literal_and_the_only_attributes_defined(
        self, name: str, keys: list[tuple[str, str, str]]
    ) -> None:
        table = resources()[name]["Properties"]
        types = {each["AttributeName"]: each["AttributeType"] for each in table["AttributeDefinitions"]}
        schema = [
            (each["AttributeName"], types.get(each["AttributeName"]), each["KeyType"]) for each in table["KeySchema"]
        ]
        assert schema == keys
        indexed = [
            each["AttributeName"] for index in table.get("GlobalSecondaryIndexes", ()) for each in index["KeySchema"]
        ]
        assert types.keys() == {name for name, _, _ in keys} | set(indexed)

    def test_idempotency_records_check_states_and_jobs_expire_by_themselves_and_records_never_do(self) -> None:
        expiring = {name for name in TABLES if "TimeToLiveSpecification" in resources()[name]["Properties"]}
        assert expiring == {"RequestTable", "PulseTable", "JobTable"}

    def test_the_key_makes_es256_signatures(self) -> None:
        key = resources()["SigningKey"]["Properties"]
        assert (key["KeySpec"], key["KeyUsage"]) == ("ECC_NIST_P256", "SIGN_VERIFY")

    def test_the_key_of_the_log_makes_ed25519_signatures(self) -> None:
        key = resources()["LogKey"]["Properties"]
        assert (key["KeySpec"], key["KeyUsage"]) == ("ECC_NIST_EDWARDS25519", "SIGN_VERIFY")

    @pytest.mark.parametrize("name", TABLES)
    def test_what_another_region_may_need_is_streamed_and_what_is_of_a_region_is_not(self, name: str) -> None:
        """Replicas of a table, and the edge, live on its stream."""
        streamed = resources()[name]["Properties"].get("StreamSpecification")
        assert streamed == (
            None
            if name in ("RequestTable", "PulseTable", "JobTable", "LogTable")
            else {"StreamViewType": "NEW_AND_OLD_IMAGES"}
        )

    @pytest.mark.parametrize("name", ["JobBucket", "LogBucket"])
    def test_files_are_private_encrypted_and_sent_by_tls_only(self, name: str) -> None:
        bucket = resources()[name]["Properties"]
        assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
        (encryption,) = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        assert encryption["ServerSideEncryptionByDefault"] == {"SSEAlgorithm": "AES256"}
        assert bucket["OwnershipControls"]["Rules"] == [{"ObjectOwnership": "BucketOwnerEnforced"}]
        (statement,) = resources()[f"{name}Policy"]["Properties"]["PolicyDocument"]["Statement"]
        assert (statement["Effect"], statement["Action"]) == ("Deny", "s3:*")
        assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}

    def test_files_of_jobs_expire_just_after_the_jobs(self) -> None:
        (rule,) = resources()["JobBucket"]["Properties"]["LifecycleConfiguration"]["Rules"]
        assert LIFETIME < timedelta(days=rule["ExpirationInDays"]) <= LIFETIME + timedelta(days=1)
        assert rule["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 1}

    def test_no_file_of_the_log_expires_unless_it_was_replaced_or_deleted(self) -> None:
        bucket = resources()["LogBucket"]["Properties"]
        assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
        (rule,) = bucket["LifecycleConfiguration"]["Rules"]
        assert rule.keys() == {"Id", "Status", "NoncurrentVersionExpiration", "ExpiredObjectDeleteMarker"}

    def test_only_the_services_pages_may_send_and_fetch_files_of_jobs(self) -> None:
        (rule,) = resources()["JobBucket"]["Properties"]["CorsConfiguration"]["CorsRules"]
        assert rule["AllowedMethods"] == ["GET", "PUT"]
        ((origin, parts),) = (each["Fn::Sub"] for each in rule["AllowedOrigins"])
        assert origin == "${Scheme}//${Host}"
        at = {name: value["Fn::Select"][0] for name, value in parts.items()}
        assert [URL.split("/")[at[each]] for each in ("Scheme", "Host")] == ["https:", "id.example.org"]

    def test_no_retained_resource_depends_on_a_parameter(self) -> None:
        """An update that only sets parameters never touches a table, a key or the files of the log."""
        for name in [*TABLES, "SigningKey", "LogBucket", "LogBucketPolicy", "LogKey"]:
            assert "Condition" not in template["Resources"][name]
            assert "Fn::If" not in str(template["Resources"][name])
