"""What the cost model assumes. Where a figure is uncertain, it is the more expensive one."""

import math
from fractions import Fraction

from scripts.cost.prices import MILLION, SECONDS, THOUSAND

MEMORY_MB = 512  # of the resolve function; template.yaml
FULL_PROCESSOR_MB = 1769  # Lambda gives a whole processor at this much, and less in proportion (Lambda's guide)
# The handler's processor time on a whole processor. The benchmark measured 0.168 ms at the median and 0.262 at most for
# a record that is read from DynamoDB over TLS ("one read: the handler, TLS"), and 0.010 if everything is cached ("warm:
# a record of ours"); docs/explanation/evidence/bench/results.json, Linux on x86_64, not at AWS. Lambda's processors may
# be slower, and other work of the function is not in it: three times as much is assumed, and ten times.
CPU_MS = Fraction("0.5")
CACHED_CPU_MS = Fraction("0.1")
STORE_MS = 4  # until DynamoDB has answered; AWS promises "single-digit milliseconds"
RUNTIME_MS = 1  # Lambda's own part of an invocation
INVOCATION_MS = math.ceil(CPU_MS * FULL_PROCESSOR_MB / MEMORY_MB + STORE_MS + RUNTIME_MS)
COLD_SHARE = Fraction("0.01")  # AWS says "under 1 %" (Compute Blog, 29 April 2025); the busier, the fewer
# Billed too. 73 ms measured on a whole processor ("cold start: resolve, one read"), 250 with the share of one that
# 512 MB have, and as much again for what the benchmark does not do: loading the layers and starting the runtime.
COLD_START_MS = 500
PEAK = 3  # the busiest minute's requests to the average one's
PREFIXES_IN_USE = 20  # prefixes that a warm function resolves within a minute; it reads each of them once in that time
PREFIX_KEYS = 4  # names looked up at once for a prefix, each half a read unit
ANSWER_BYTES = 2_000  # status, headers and body of a redirect with its links: 700 to 1,500 measured, and what AWS adds
LOG_LINE_BYTES = 250  # a function's line for a request, with the 26 that CloudWatch adds to each
ACCESS_LINE_BYTES = 250  # API Gateway's line for a request, likewise
RECORD_BYTES = 2_200  # a record with its entries in two indexes; 1,115 for a small one
MINT_UNITS = 4  # a row above 1 KB, and two indexes
CHANGE_UNITS = 10  # two such rows in one transaction, and another place in the index by time of change
WRITE_MS = 150  # in 1,024 MB, including the wait for KMS and DynamoDB
SNAPSHOT_MB = 1024 + 512  # mint and manage start from snapshots, which are stored all the time
KEYS = 3  # one signs records, one the transparency log, and one encrypts the topic of the alarms
STORE_READS_ANSWERED = 2  # of KeyValueStore, for a redirect at the edge: the prefix and the store's state
STORE_READS_PASSED_ON = 1  # for any other request: its prefix, which has no entry
STORE_RUNS = Fraction(SECONDS, 1_800)  # of the function that compares KeyValueStore with the table of prefixes
STORE_RUN_SECONDS = 10  # in 512 MB, for some 3,000 prefixes; not measured
STORE_RENEWALS = Fraction(SECONDS, 3 * 3600)  # of the store's state, each one request to KeyValueStore's API
STORE_CHANGE_REQUESTS = 1  # for a prefix that changed: all its entries are in one update
STORE_ALARMS = 6  # metrics that alarms of redirects at the edge use; infra/watch.yaml
STORE_METRICS = 5  # EdgeAge, EdgeValid, EdgeKeys, EdgeRepaired and EdgeLeftOut, which have values in most hours
WAF_RULES = 1  # infra/global.yaml
ALARMS = 50  # metrics that alarms use, at most; infra/watch.yaml, without redirects at the edge
METRICS = 32  # coolid's own: those that alarms use, and Minted for each repository; billed for hours with values

POSTINGS = 35  # of a record with a title of ten words, two creators and a URL; each takes a write unit
POSTING_BYTES = 475  # with the 100 that DynamoDB adds to each
INDEX_MS = 50  # for the postings of a record, in 1,024 MB
INDEX_RUNS = Fraction(SECONDS, 900)  # that complete the index, and find nothing to do

SEQUENCE_MB = 1024  # template.yaml
SEQUENCE_RUNS = Fraction(SECONDS, 60)  # template.yaml
IDLE_MS = 150  # of a run without entries
BATCH_MS = 600  # of a run with entries: it waits for S3, KMS and DynamoDB several times
ENTRY_MS = 5  # for each of them; two writes, several at once
ENTRY_BYTES = 500  # the signed statement about a version; 453 measured
LOG_ROW_BYTES = 200  # the name and the index of an entry, with the 100 that DynamoDB adds
ENTRY_WRITES = 4  # units: a waiting row with its index, and the same row with the place in the log
ENTRY_READS = 3  # units, consistent: twice itself, once the version before
IDLE_READS = 3  # units, of a run: the head, the sweep's position, and the list of waiting entries
SWEPT = 5  # runs of the sweep that examine an entry: its hour of overlap, and a run each quarter of an hour
SWEEP_READS = Fraction(3, 2)  # units, for an entry in a run: its record by time of change, and its row
LOG_YEARS = 5  # for which partial bundles have been stored; they are not deleted
LOG_GROWTH = Fraction(1, 100)  # of the log's size in a month, for the table
LOG_SIZES = (10 * THOUSAND, MILLION, 100 * MILLION)

PROBE_MEMORY_MB = 256  # template.yaml
PREFIX_BYTES = 1_000  # a prefix with its providers; the Bioregistry's have 910
SYNONYMS = Fraction("0.92")  # of a prefix on average, each a row of its own; those of the Bioregistry
REQUESTS_PER_CHECK = 2  # HEAD, and a redirect that is followed, or a GET where HEAD does not do
ANSWER_SECONDS = Fraction(1, 2)  # until a checked server has answered, TLS included
AT_ONCE = 2  # hosts of a batch that are checked at the same time, on average; at most eight
BATCH_SECONDS = 1  # for reading and writing before and after the checks
REQUEST_BYTES = 3_000  # bytes sent for a request, including a TLS handshake
CHECK_READS = 5  # units, all consistent: its state, twice, the prefix, another provider's state, its host's state
CONDITION_UNITS = 4  # a prefix's row above 1 KB, in the table and in its index
OUTAGES = Fraction(1, 10)  # of a provider in a month
CHANGES_PER_OUTAGE = 4  # degraded, down, degraded, up
AILING = Fraction(3, 100)  # of providers; checked once an hour on average, and written each time
POLLERS = 5  # of Lambda, each of which polls the queue every 20 s, even if it is empty
JOB_POLLS = Fraction(POLLERS * SECONDS, 20)  # of the queue of bulk jobs, even without any
METRIC_LINE_BYTES = 350  # the log line of a batch
