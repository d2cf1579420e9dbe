"""The domain: its DNS records, and the announcement of the resolver."""

import re
from typing import Any

import pytest

from tests.infra.cloudformation import given, resolved
from tests.infra.stack import resources, template

ZONE = {"HostedZoneId": "Z0123456789ABCDEFGHIJ", "HostedZoneName": "example.org"}
REGIONAL = {"RegionalCertificateArn": "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d"}
AT_EDGE = {"Edge": "on", "CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d"}
RECORDS = {"Address", "AddressOfVersion6", "Protocols"}


def records(**parameters: str) -> dict[str, Any]:
    """The records that lead the domain's name somewhere."""
    there = resources(**{"Edge": "off"} | parameters)
    return {name: there[name]["Properties"] for name in RECORDS if name in there}


class TestAddress:
    """Where the name of the domain leads."""

    def test_with_a_regional_certificate_it_leads_to_api_gateway(self) -> None:
        made = records(**REGIONAL, **ZONE)
        assert {each["Type"] for each in made.values()} == {"A", "AAAA"}
        for record in made.values():
            assert record["AliasTarget"]["DNSName"] == {"Fn::GetAtt": ["Domain", "RegionalDomainName"]}
        domain = resources(Edge="off", **REGIONAL)["Domain"]["Properties"]
        assert domain["SecurityPolicy"] == "TLS_1_2"
        assert domain["EndpointConfiguration"] == {"Types": ["REGIONAL"], "IpAddressType": "dualstack"}

    def test_with_the_edge_it_leads_there_and_announces_http_3(self) -> None:
        made = records(**AT_EDGE, **REGIONAL, **ZONE)
        assert {each["Type"] for each in made.values()} == {"A", "AAAA", "HTTPS"}
        for record in made.values():
            assert record["AliasTarget"]["DNSName"] == {"Fn::GetAtt": ["EdgeStack", "Outputs.DistributionDomain"]}

    def test_switching_between_them_changes_records_and_leaves_none_out_for_a_while(self) -> None:
        """The record is the same resource, so that it is updated in place."""
        assert records(**REGIONAL, **ZONE).keys() < records(**AT_EDGE, **ZONE).keys()

    def test_with_both_certificates_both_answer_so_that_names_elsewhere_can_be_pointed_from_one_to_the_other(
        self,
    ) -> None:
        there = resources(**AT_EDGE, **REGIONAL)
        assert {"Domain", "DomainMapping", "EdgeStack"} <= there.keys()

    def test_the_name_is_the_host_of_the_public_base_url(self) -> None:
        for record in records(**AT_EDGE, **ZONE).values():
            values = given(template, PublicBaseUrl="https://id.example.org:8443")
            assert resolved(record["Name"], values) == "id.example.org"

    @pytest.mark.parametrize("parameters", [{}, ZONE, REGIONAL, AT_EDGE, {"Edge": "on"}, {"Edge": "on", **ZONE}])
    def test_without_a_zone_or_a_certificate_there_are_no_records(self, parameters: dict[str, str]) -> None:
        assert records(**parameters) == {}


class TestAnnouncement:
    """The SRV record by which clients of LinkIDs find the resolver of a domain."""

    @staticmethod
    def announced(**parameters: str) -> Any:
        """The record's properties where there is one."""
        record = resources(**parameters).get("Announcement")
        return resolved(record["Properties"], given(template, **parameters)) if record else None

    def test_a_zone_gets_a_record_that_leads_to_the_public_host_over_https(self) -> None:
        record = self.announced(PublicBaseUrl="https://id.example.org", **ZONE)
        assert record["HostedZoneId"] == "Z0123456789ABCDEFGHIJ"
        assert (record["Type"], record["Name"]) == ("SRV", "_linkid._https.example.org")
        assert record["ResourceRecords"] == ["0 5 443 id.example.org"]

    def test_a_port_in_the_base_url_is_announced(self) -> None:
        record = self.announced(PublicBaseUrl="https://id.example.org:8443", **ZONE)
        assert record["ResourceRecords"] == ["0 5 8443 id.example.org"]

    def test_without_a_zone_there_is_no_record(self) -> None:
        assert self.announced(PublicBaseUrl="https://id.example.org") is None

    @pytest.mark.parametrize(
        "url",
        [
            "http://id.example.org",
            "https://abc123.execute-api.eu-west-1.amazonaws.com/v1",
            "https://id.example.org/a/b",
        ],
    )
    def test_a_base_url_that_srv_cannot_express_is_not_announced(self, url: str) -> None:
        assert self.announced(PublicBaseUrl=url, **ZONE) is None

    def test_the_whole_url_is_in_a_txt_record(self) -> None:
        url = "https://abc123.execute-api.eu-west-1.amazonaws.com/v1"
        record = resources(PublicBaseUrl=url, **ZONE)["AnnouncementText"]["Properties"]
        returned = resolved(record, given(template, PublicBaseUrl=url, **ZONE))
        assert (returned["Type"], returned["Name"]) == ("TXT", "_linkid.example.org")
        assert returned["ResourceRecords"] == [f'"v=linkid1 resolver={url}"']
        assert "AnnouncementText" not in resources()

    @pytest.mark.parametrize(
        ("parameters", "allowed"),
        [({}, True), (ZONE, True), ({"HostedZoneId": "Z012"}, False), ({"HostedZoneName": "example.org"}, False)],
    )
    def test_a_zone_is_given_with_both_its_id_and_its_name(self, parameters: dict[str, str], allowed: bool) -> None:
        values = given(template, **parameters)
        (assertion,) = template["Rules"]["HostedZoneIsWhole"]["Assertions"]
        assert resolved(assertion["Assert"], values) is allowed

    @pytest.mark.parametrize(
        ("name", "value", "allowed"),
        [
            ("HostedZoneId", "Z0123456789ABCDEFGHIJ", True),
            ("HostedZoneId", "example.org", False),
            ("HostedZoneId", "/hostedzone/Z0123456789ABCDEFGHIJ", False),
            ("HostedZoneName", "id.example.org", True),
            ("HostedZoneName", "example.org.", False),
            ("HostedZoneName", "https://example.org", False),
            ("HostedZoneName", "-.example.org", False),
            ("HostedZoneName", "EXAMPLE.org", False),
        ],
    )
    def test_an_id_and_a_name_have_their_forms(self, name: str, value: str, allowed: bool) -> None:
        assert bool(re.search(template["Parameters"][name]["AllowedPattern"], value)) is allowed
