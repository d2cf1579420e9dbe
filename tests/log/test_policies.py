"""Policies: the form of the C2SP specification, the quorum, and what a policy makes of a checkpoint.

The cases follow those of two other implementations, `policy` of transparency-dev/formats and of sigsum-go.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.log.checkpoints import Checkpoint
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.policies import MAX_CHARACTERS, Policy
from coolid.log.signed_notes import COSIGNATURE, SignedNote
from tests.support.fixtures.note_keys import NoteKey

LOG = NoteKey("example.com/log")
WITNESSES = [NoteKey(f"witness-{number}.example") for number in range(1, 7)]
LOG_KEY = LOG.verifier()
KEYS = [witness.verifier(COSIGNATURE) for witness in WITNESSES]
EXAMPLE = f"""# the example of the specification
log {LOG_KEY}

witness X1 {KEYS[0]}
witness X2 {KEYS[1]}
witness X3 {KEYS[2]}
group X-witnesses 2 X1 X2 X3

witness Y1 {KEYS[3]}
witness Y2 {KEYS[4]}
witness Y3 {KEYS[5]}
group Y-witnesses any Y1 Y2 Y3

group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
"""
NEW_CHECKPOINT = Checkpoint(LOG.name, 1, b"r" * 32)


def test_the_example_of_the_specification_needs_two_of_one_group_and_one_of_the_other() -> None:
    policy = Policy.parse(EXAMPLE)
    assert [log.key for log in policy.logs] == [LOG_KEY]
    assert [witness.key for witness in policy.witnesses.values()] == KEYS
    for number in range(64):
        names = {name for position, name in enumerate(policy.witnesses) if number >> position & 1}
        assert policy.is_met(names) == (len(names & {"X1", "X2", "X3"}) >= 2 and bool(names & {"Y1", "Y2", "Y3"}))
    assert not policy.is_met({"X-and-Y", "none", "Z"})


def test_a_policy_is_written_as_it_is_read() -> None:
    text = (
        f"log {LOG_KEY} https://log.example/\nwitness w1 {KEYS[0]} https://w1.example/\nwitness w2 {KEYS[1]}\n"
        "group g 1 w1 w2\nquorum g\n"
    )
    assert str(Policy.parse(text)) == text
    spaced = "\t" + text.replace(" ", " \t").replace("\n", "  \n\n \t# any comment: € \x80\n").removesuffix("\n")
    assert Policy.parse(spaced) == Policy.parse(text)
    assert Policy.parse(EXAMPLE) == Policy.parse(Policy.parse(EXAMPLE).to_bytes())
    assert Policy.parse("quorum none") == Policy("none")


def test_names_are_octets() -> None:
    text = b"witness \xe2\x84\xaa %s\nwitness K\x80 %s\nwitness all %s\n"
    text += b"group any all \xe2\x84\xaa K\x80 all\nquorum any\n"
    text %= tuple(str(key).encode() for key in KEYS[:3])
    policy = Policy.parse(text)
    assert policy.to_bytes() == text.replace(b" any all ", b" any 3 ")
    assert policy.is_met(policy.witnesses)
    with pytest.raises(MalformedData, match="line 2 of the policy: 'K' is not a witness or group of a line before"):
        Policy.parse(f"witness \u212a {KEYS[0]}\nquorum K\n")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the policy has no quorum line"),
        ("quorum none\nquorum none", "line 2 of the policy: it is the second quorum line"),
        ("quorum none\r\n", "line 1 of the policy: it has the control character 0x0d"),
        ("# \f\nquorum none", "line 1 .* 0x0c"),
        ("# \x7f\nquorum none", "line 1 .* 0x7f"),
        ("quorum none\n\x01", "line 2 .* 0x01"),
        ("quibble W", "'quibble' is not one of log, witness, group, quorum"),
        ("log", r"it does not have the form: log KEY \[URL\]"),
        ("log KEY URL # comment", "it does not have the form"),
        ("log KEY", "the verifier key"),
        ("log +12345678+", "line 1 of the policy: a key's name"),
        ("log LOG\nlog LOG https://example.com/", "line 2 of the policy: another line has the same key"),
        ("log W1", "the key has the type 4; the key of a log has the type 1"),
        ("witness A", "it does not have the form"),
        ("witness A W1 URL # comment", "it does not have the form"),
        ("witness A LOG", "the key has the type 1; the key of a witness has the type 4"),
        ("witness none W1", "the name 'none' is already defined"),
        ("witness A W1\nwitness A W2", "the name 'A' is already defined"),
        ("witness A W1\nwitness B W1", "line 2 of the policy: another line has the same key"),
        ("witness A W1\nwitness B ALIAS", "line 2 of the policy: another line has the same key"),
        ("witness A W1\ngroup A any A", "the name 'A' is already defined"),
        ("witness A W1\ngroup none any A", "the name 'none' is already defined"),
        ("witness A W1\ngroup G any", "it does not have the form: group NAME"),
        ("witness A W1\ngroup G 0 A", "'0' is not all, any, or a number from 1 to 1"),
        ("witness A W1\ngroup G 2 A", "'2' is not all"),
        ("witness A W1\ngroup G -1 A", "'-1' is not all"),
        ("witness A W1\ngroup G 01 A", "'01' is not all"),
        ("witness A W1\ngroup G ١ A", "is not all"),
        ("witness A W1\ngroup G " + "9" * 5_000 + " A", "is not all"),
        ("witness A W1\ngroup G any B", "line 2 of the policy: 'B' is not a witness or group of a line before"),
        ("group G any A\nwitness A W1", "line 1 of the policy: 'A' is not"),
        ("group G any G", "'G' is not a witness or group of a line before"),
        ("witness A W1\ngroup G any none A", "'none' is not a witness"),
        ("witness A W1\ngroup G all A A", "'A' is already a member of a group"),
        ("witness A W1\nwitness B W2\ngroup G any A B\ngroup H any A", "line 4 .* 'A' is already a member"),
        ("quorum", "it does not have the form: quorum NAME"),
        ("quorum A\nwitness A W1", "line 1 of the policy: 'A' is not a witness or group of a line before"),
        ("# " + "x" * MAX_CHARACTERS, "the policy has more than"),
    ],
)
def test_a_wrong_policy_is_refused_with_its_line_and_a_reason(text: str, problem: str) -> None:
    impostor = NoteKey("impostor.example")
    for name, key in {
        "LOG": LOG_KEY,
        "W1": KEYS[0],
        "W2": KEYS[1],
        "ALIAS": type(LOG_KEY)(impostor.name, COSIGNATURE, KEYS[0].public_key),
    }.items():
        text = text.replace(name, str(key))
    with pytest.raises(MalformedData, match=problem):
        Policy.parse(text)


def test_a_checkpoint_needs_the_log_and_the_quorum() -> None:
    policy = Policy.parse(EXAMPLE)
    note = LOG.signed(NEW_CHECKPOINT)
    with pytest.raises(FailedProof, match="cosigned by no witness; the quorum 'X-and-Y' needs more"):
        policy.verified_checkpoint(str(note).encode())
    for witness, time in zip((WITNESSES[0], WITNESSES[2], WITNESSES[4]), (7, 8, 9), strict=True):
        note = witness.cosigned(note, time)
    note = NoteKey("stranger.example").cosigned(note, 10)
    assert policy.verified_checkpoint(str(note).encode()) == (NEW_CHECKPOINT, note)
    assert policy.cosigners(note) == {"X1": 7, "X3": 8, "Y2": 9}
    unsigned = SignedNote(note.text, note.signatures[1:])
    with pytest.raises(FailedProof, match=r"no signature of 'example.com/log', by the keys of the policy"):
        policy.verified_checkpoint(str(unsigned).encode())
    forged = SignedNote(note.text.replace("\n1\n", "\n2\n"), note.signatures)
    with pytest.raises(FailedProof, match=r"the note's signature of example.com/log is invalid"):
        policy.verified_checkpoint(str(forged).encode())


def test_an_invalid_cosignature_of_a_trusted_witness_spoils_the_checkpoint() -> None:
    policy = Policy.parse(f"log {LOG_KEY}\nwitness A {KEYS[0]}\nquorum none\n")
    note = WITNESSES[0].cosigned(LOG.signed(NEW_CHECKPOINT), 7)
    text = note.text.replace("\n1\n", "\n2\n")
    resigned = SignedNote(text, (LOG.signed(Checkpoint.parse(text)).signatures[0], note.signatures[1]))
    with pytest.raises(FailedProof, match=r"the cosignature of witness-1.example is invalid"):
        policy.verified_checkpoint(str(resigned).encode())


def test_a_log_may_change_its_key_and_a_verifier_may_know_further_logs() -> None:
    new_key = NoteKey(LOG.name, "of the next year")
    note = str(new_key.signed(NEW_CHECKPOINT)).encode()
    both = Policy.parse(f"log {LOG_KEY}\nlog {new_key.verifier()}\nquorum none\n")
    assert both.verified_checkpoint(note)[0] == NEW_CHECKPOINT
    assert Policy("none").verified_checkpoint(note, new_key.verifier())[0] == NEW_CHECKPOINT
    for policy, problem in ((Policy.parse(f"log {LOG_KEY}\nquorum none"), "no signature"), (Policy("none"), "unknown")):
        with pytest.raises(FailedProof, match=problem):
            policy.verified_checkpoint(note)


@given(st.binary() | st.text(st.sampled_from("logwitnesgrupqm # \n\t+ 1AB€"), max_size=200))
def test_any_text_is_a_policy_or_malformed(text: bytes | str) -> None:
    try:
        policy = Policy.parse(text)
    except MalformedData:
        return
    assert Policy.parse(policy.to_bytes()) == policy


@given(st.data())
def test_more_witnesses_never_break_a_quorum(data: st.DataObject) -> None:
    lines = [f"witness W{number} {key}" for number, key in enumerate(KEYS)]
    free = [f"W{number}" for number in range(len(KEYS))]
    for number in range(data.draw(st.integers(1, 3))):
        members = data.draw(st.lists(st.sampled_from(free), min_size=1, unique=True))
        threshold = data.draw(st.integers(1, len(members)))
        lines.append(f"group G{number} {threshold} {' '.join(members)}")
        free = [name for name in free if name not in members] + [f"G{number}"]
    policy = Policy.parse("\n".join([*lines, f"quorum {data.draw(st.sampled_from(free))}"]))
    assert policy.is_met(set(policy.witnesses))
    assert not policy.is_met(set())
    some = data.draw(st.sets(st.sampled_from(list(policy.witnesses))))
    more = some | data.draw(st.sets(st.sampled_from(list(policy.witnesses))))
    assert policy.is_met(some) <= policy.is_met(more)
    assert Policy.parse(policy.to_bytes()) == policy
