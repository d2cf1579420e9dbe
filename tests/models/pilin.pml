/* The PILIN reservation: processes that take milliseconds from one counter row, by clocks that may show anything at any
 * time, killed between any two steps, the store not answering, doing what it was told unheard, or doing it later.
 * Checked by spin; docs/explanation/evidence/models.md says what that shows. The lines that begin with "code:" name the product's code that a
 * step stands for, and quote from it: tests/models/test_models.py fails when it is no longer there.
 *
 * Each BROKEN_… takes one guard out of the product, and the check must then fail.
 *   WRITERS   how many threads there are, each in a process of its own
 *   THREADS   the first two are of one process
 *   LAST      clocks and the counter end there
 *   FAULTS    at most so many; without it there is no end to them
 */
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef LAST
#define LAST 5
#endif

#define RUN 2			/* the longest run. code: coolid.identifiers.rules.pilin.PilinRules.max_run "return RUN" */

#ifdef FAULTS
byte faults = FAULTS;
#define MAY_FAIL (faults > 0)
#define FAIL if :: faults > 0 -> faults-- :: else fi
#else
#define MAY_FAIL true
#define FAIL skip
#endif

/* The counter row: the next number, which is never 0. */
byte next = 0;			/* 0: there is no row */

/* What is sent and may still come to be done when nobody waits for it any more. */
typedef Sent {
	bool waits;
	bool sets;		/* else it adds */
	byte floor;
	byte count
};
Sent sent[WRITERS];

/* A process: its run of numbers, and the lock that its threads take. code: coolid.records.counters._ReservedRange "size: int" */
typedef Process {
	byte start;
	byte stop;
	byte size;
	bool locked
};
Process process[WRITERS];

bool given[LAST + RUN + 1];	/* the numbers that somebody got */
byte ended;

#ifdef THREADS
#define OWN(w) (w < 2 -> 0 : w)
#else
#define OWN(w) w
#endif

#ifdef BROKEN_CONDITION
#define LAGS(low) true
#else
/* code: coolid.aws.dynamodb.counters.DynamoCounters.reserve "row.next_number.does_not_exist() | (row.next_number <= floor)" */
#define LAGS(low) (next == 0 || next <= low)
#endif

/* The two updates, each one step of the store's.
 * code: coolid.aws.dynamodb.counters.DynamoCounters.reserve "row.next_number.set(floor + count)"
 * code: coolid.aws.dynamodb.counters.DynamoCounters.reserve "row.next_number.add(count)" */
inline set(low, many) { next = low + many }
inline add(many) { next = next + many }

proctype Writer(byte w) {
	byte floor = 0, number = 0, size = 0, seen = 0;

start:
#ifndef BROKEN_LOCK
	/* code: coolid.records.counters.Counters.take "with self._lock:" */
	atomic { !process[OWN(w)].locked -> process[OWN(w)].locked = true };
#endif

clock:	/* Any moment. code: coolid.records.counters.Counters.take "floor = rules.floor(self._clock.milliseconds())" */
	atomic { select(floor : 1 .. LAST - 1) };

take:	/* code: coolid.records.counters.Counters.take "number = max(reserved.start, floor)" */
	atomic {
		number = (process[OWN(w)].start > floor -> process[OWN(w)].start : floor);
		if	/* code: coolid.records.counters.Counters.take "if number >= reserved.stop:" */
#ifdef BROKEN_STOP
		:: process[OWN(w)].stop != 0 -> goto keep
		:: process[OWN(w)].stop == 0
#else
		:: number < process[OWN(w)].stop -> goto keep
		:: number >= process[OWN(w)].stop
#endif
		fi;
		/* code: coolid.records.counters.Counters.take "size = min(2 * reserved.size, rules.max_run()) if reserved.stop > floor else 1" */
		size = (process[OWN(w)].stop > floor -> 2 * process[OWN(w)].size : 1);
		size = (size > RUN -> RUN : size);
		/* A run that is not there when reserving fails. code: coolid.records.counters.Counters.take "self._ranges.pop(" */
		process[OWN(w)].start = 0; process[OWN(w)].stop = 0; process[OWN(w)].size = 1
	};

lags:	/* code: coolid.aws.dynamodb.counters.DynamoCounters.reserve "return floor" */
	atomic {
		!sent[w].waits ->
		if
		:: LAGS(floor) -> set(floor, size); number = floor; goto reserved
		:: !LAGS(floor) -> goto ahead
		:: MAY_FAIL -> FAIL; if :: LAGS(floor) -> set(floor, size) :: else fi; goto unanswered
		:: MAY_FAIL -> FAIL;
			sent[w].waits = true; sent[w].sets = true; sent[w].floor = floor; sent[w].count = size; goto unanswered
		fi
	};

ahead:	/* code: coolid.aws.dynamodb.counters.DynamoCounters.reserve "return int(counter.next_number) - count" */
#ifdef BROKEN_ADD
	seen = next;
#endif
	atomic {
		!sent[w].waits ->
		if
		:: next + size > LAST -> goto spent	/* the end of the model, not of the numbers */
#ifdef BROKEN_ADD
		:: next + size <= LAST -> number = seen; next = seen + size; seen = 0
#else
		:: next + size <= LAST -> add(size); number = next - size
#endif
		:: MAY_FAIL && next + size <= LAST -> FAIL; add(size); goto unanswered
		:: MAY_FAIL && next + size <= LAST -> FAIL;
			sent[w].waits = true; sent[w].sets = false; sent[w].floor = 0; sent[w].count = size; goto unanswered
		fi
	};

reserved:	/* code: coolid.records.counters.Counters.take "reserved = _ReservedRange(number, number + size, size)" */
	atomic { process[OWN(w)].start = number; process[OWN(w)].stop = number + size; process[OWN(w)].size = size };

keep:	/* code: coolid.records.counters.Counters.take "_ReservedRange(number + 1, reserved.stop, reserved.size)" */
#ifdef BROKEN_KEEP
	process[OWN(w)].start = number;
#else
	process[OWN(w)].start = number + 1;
#endif

give:	/* It is never given to anybody else, and is no older than the moment when it was asked for. */
	atomic {
		if
		:: number <= LAST ->
			assert(!given[number]);
			assert(number >= floor);
			given[number] = true
		:: else
		fi;
		process[OWN(w)].locked = false;
		/* Then the clock is waited for, a record made, or not: the number is never taken back.
		 * code: coolid.records.counters.Counters.take "self._wait_for(number, rules)" */
#ifdef BROKEN_RELEASE
		if
		:: next = next - 1; given[number] = false; goto over	/* the mint failed */
		:: true
		fi;
#endif
		if
		:: number = 0; floor = 0; size = 0; goto start
		:: goto over
		fi
	};

unanswered:	/* The client sends the same again, gives up, or the process is killed, with its run and all its threads' locks. */
	atomic {
		if
		:: goto lags
		:: process[OWN(w)].locked = false
		fi;
		number = 0; floor = 0; size = 0;
		if
		:: goto start
		:: goto over
		fi
	};

spent:
	process[OWN(w)].locked = false;

over:
	atomic { number = 0; floor = 0; size = 0; ended++ }
}

/* What was sent and given up is done after all, or never. */
inline deliver(w) {
	if
	:: sent[w].sets && LAGS(sent[w].floor) -> set(sent[w].floor, sent[w].count)
	:: !sent[w].sets && next + sent[w].count <= LAST -> add(sent[w].count)
	:: true
	fi;
	sent[w].waits = false; sent[w].sets = false; sent[w].floor = 0; sent[w].count = 0
}

active proctype Network() {
end:	do
	:: atomic { sent[0].waits -> deliver(0) }
#if WRITERS > 1
	:: atomic { sent[1].waits -> deliver(1) }
#endif
#if WRITERS > 2
	:: atomic { sent[2].waits -> deliver(2) }
#endif
	od
}

/* An import may set the counter on, and reserves nothing by that.
 * code: coolid.transfer.restore.Restorer._add_counter "self._store.counters.reserve(document[\"id\"], document[\"next\"], 0)" */
active proctype Importer() {
	byte floor;
	atomic {
		select(floor : 1 .. LAST - 1);
		if
		:: LAGS(floor) -> set(floor, 0)
		:: else
		fi;
		floor = 0
	}
}

/* A killed process begins again with no run; one that is killed has no threads in between. */
#define FORGET(p) atomic { MAY_FAIL && !process[p].locked && process[p].stop -> FAIL; \
	process[p].start = 0; process[p].stop = 0; process[p].size = 1 }

active proctype Killer() {
end:	do
	:: FORGET(0)
#if WRITERS > 1
	:: FORGET(1)
#endif
#if WRITERS > 2
	:: FORGET(2)
#endif
	od
}

init {
	byte each;
	atomic {
		for (each : 0 .. WRITERS - 1) { process[each].size = 1 };
		run Writer(0);
#if WRITERS > 1
		run Writer(1);
#endif
#if WRITERS > 2
		run Writer(2)
#endif
	}
}

/* With an end to the faults and to the numbers, every request comes to an end, or goes on getting numbers. */
ltl ends { <> (ended == WRITERS) }
