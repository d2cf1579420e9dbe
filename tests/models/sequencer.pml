/* The sequencer of the transparency log: runs that overlap, killed between any two steps, the store not answering, doing
 * unheard what it was sent, or doing it later; lists of waiting entries that are old. Checked by spin;
 * docs/explanation/evidence/models.md says what that shows. The lines that begin with "code:" name the product's code
 * that a step stands for, and quote from it: tests/models/test_models.py fails when it is no longer there.
 *
 * A tree is the set of its entries, as bits. Two trees of one size with different entries are a fork.
 *
 * Each BROKEN_… takes one guard out of the product, and the check must then fail.
 *   RUNS      how many runs overlap
 *   ENTRIES   how many entries there are, 2 or 3
 *   FAULTS    at most so many; without it there is no end to them
 */
#ifndef RUNS
#define RUNS 2
#endif

#ifndef ENTRIES
#define ENTRIES 3
#endif

#if ENTRIES > 2
#define ALL 7
#define TREES 8
#else
#define ALL 3
#define TREES 4
#endif
#define FIRST 1			/* a version of a record, and the version after it; another entry is between them */
#define SECOND 4
#define NONE 255

#ifdef FAULTS
byte faults = FAULTS;
#define MAY_FAIL (faults > 0)
#define FAIL if :: faults > 0 -> faults-- :: else fi
#else
#define MAY_FAIL true
#define FAIL skip
#endif
#define KILLED MAY_FAIL -> FAIL; goto start

/* The rows. */
byte added = 0;			/* the entries that wait, or waited */
byte settled = 0;		/* the entries with an index */
byte head = 0;			/* the tree of the head */
byte named = 0;			/* the name of its staging file */

/* The files. */
byte staged[TREES] = NONE;	/* the tree in each staging file, by its name */
byte grown[TREES];		/* the tree from which that grew */
bool written[TREES];		/* whether the tiles and bundles of a tree are written */
byte published = 0;

/* What is sent and may still come to be done when its run has given up: a head, or a checkpoint. */
typedef Sent {
	bool waits;
	bool moves;		/* else it publishes */
	byte old;
	byte new;
	byte batch
};
Sent sent[RUNS];

/* The name of a staging file. code: coolid.log.sequencer.Sequencer._add_batch "staging = staging_path(size, tree.root)" */
#ifdef BROKEN_STAGING
#define NAME(old, new) old
#else
#define NAME(old, new) new
#endif

/* The head is moved on a condition. code: coolid.sqlite.log.rows.SqliteLogRows.replace_head ") != replaced:"
 * code: coolid.aws.dynamodb.log_rows.DynamoLogRows.replace_head "revision = :revision AND checkpoint = :checkpoint" */
#ifdef BROKEN_SWAP
#define IS_HEAD(old) true
#else
#define IS_HEAD(old) (head == old)
#endif

/* So is the checkpoint. code: coolid.sqlite.log.folder.LogFolder.publish "if self.read([CHECKPOINT]).get(CHECKPOINT) != replaced:"
 * code: coolid.aws.s3_log_files.S3LogFiles.publish "IfMatch" */
#ifdef BROKEN_PUBLICATION
#define IS_PUBLISHED(old) true
#else
#define IS_PUBLISHED(old) (published == old)
#endif

inline move_head(former, latter, more) {
	if
	:: IS_HEAD(former) ->
		assert((former & more) == 0);	/* no entry has two places */
		assert((latter & SECOND) == 0 || (latter & FIRST) != 0);	/* no version is without the one before */
		head = latter;
		named = NAME(former, latter)
	:: else
	fi
}

inline publish(former, latter) {
	if
	:: IS_PUBLISHED(former) ->
		assert((published & ~latter) == 0);	/* it continues all earlier ones: no rollback, no fork */
		assert(written[latter]);			/* it can be read */
		published = latter
	:: else
	fi
}

proctype Run(byte w) {
	byte seen = 0, mine = 0, file = 0, next = 0, batch = 0;

start:	/* A run begins, perhaps in another process. What the one before sent may still be under way. */
	atomic { seen = 0; mine = 0; file = 0; next = 0; batch = 0 };

#ifdef BROKEN_READS
	atomic { mine = head; file = named };
#endif
	/* code: coolid.log.sequencer.Sequencer.run "published = self._files.read([CHECKPOINT]).get(CHECKPOINT)" */
	atomic {
		if
		:: seen = published
		:: KILLED
		fi
	};

	/* code: coolid.log.sequencer.Sequencer.run "head = self._rows.head()" */
	atomic {
		if
#ifdef BROKEN_READS
		:: true
#else
		:: mine = head; file = named
#endif
		:: KILLED
		fi;
		/* Rows and files of one log never look like those of a backup.
		 * code: coolid.log.sequencer.Sequencer._require_current "if not is_older and not is_same:" */
		assert((seen & ~mine) == 0);
		if
#ifndef BROKEN_REPAIR
		/* code: coolid.log.sequencer.Sequencer._complete "if note is None or note.text != SignedNote.parse(head.checkpoint.encode()).text:" */
		:: seen != mine
		:: seen == mine -> goto list
#else
		:: goto list
#endif
		fi
	};

repair:	/* code: coolid.log.sequencer.Sequencer._complete "content = self._files.read([head.staging]).get(head.staging)" */
	atomic {
		if
		:: staged[file] == NONE ->
			/* code: coolid.log.sequencer.Sequencer._require_head "if self._rows.head() != head:" */
			assert(head != mine);
			goto start
		:: staged[file] != NONE ->
			next = staged[file];
			/* code: coolid.log.sequencer.Sequencer._apply "if (tree.size, tree.root) != (head.size," */
			assert(next == mine)
		:: KILLED
		fi;
		goto apply
	};

list:	/* It may be an old one. code: coolid.log.batches.BatchReader.next_batch "waiting = self._rows.waiting_entries(limit)" */
	atomic {
		if
		:: batch = added & ~settled
		:: MAY_FAIL -> FAIL; batch = added
		:: MAY_FAIL -> FAIL; batch = added & ~FIRST
		:: KILLED
		fi
	};

exact:	/* code: coolid.log.batches.BatchReader._unsettled "if indexes.get(name) is None" */
	atomic {
		if
#ifndef BROKEN_ONCE
		:: batch = batch & ~settled
#else
		:: true
#endif
		:: KILLED
		fi;
#ifndef BROKEN_ORDER
		/* code: coolid.log.batches.BatchReader._ordered "numbered = self._completed(subject, group, incomplete[subject]) if subject in incomplete else group" */
		if
		:: (batch & SECOND) && !(settled & FIRST) -> batch = batch | FIRST
		:: else
		fi;
#endif
		if
		:: batch == 0 -> goto start
		:: batch != 0 -> next = mine | batch
		fi
	};

stage:	/* code: coolid.log.sequencer.Sequencer._add_batch "self._files.write({staging: tree.encode()})" */
	atomic {
		if
		:: staged[NAME(mine, next)] = next; grown[NAME(mine, next)] = mine
		:: KILLED
		fi
	};

swap:	/* code: coolid.log.sequencer.Sequencer._add_batch "self._rows.replace_head(new, head)" */
	atomic {
		!sent[w].waits ->
		if
		:: IS_HEAD(mine) -> move_head(mine, next, batch); file = NAME(mine, next); mine = next
		:: !IS_HEAD(mine) -> goto start		/* code: coolid.log.sequencer.Sequencer.run "except Outdated:" */
		:: MAY_FAIL -> FAIL; move_head(mine, next, batch); goto start
		:: MAY_FAIL -> FAIL;
			sent[w].waits = true; sent[w].moves = true; sent[w].old = mine; sent[w].new = next;
			sent[w].batch = batch; goto start
		:: KILLED
		fi;
		batch = 0
	};

apply:	/* code: coolid.log.sequencer.Sequencer._apply "self._files.write(tree.files)" */
#ifndef BROKEN_FILES
	atomic {
		if
		:: written[next] = true
		:: KILLED
		fi
	};
#endif

settle:	/* code: coolid.log.sequencer.Sequencer._apply "self._rows.settle(tree.indexes)" */
#ifndef BROKEN_INDEXES
	atomic {
		if
		:: settled = settled | next
		:: KILLED
		fi
	};
#endif

publication:	/* code: coolid.log.sequencer.Sequencer._publish "self._files.publish(content, published)" */
	atomic {
		!sent[w].waits ->
		if
		:: IS_PUBLISHED(seen) -> publish(seen, next); seen = next
		:: !IS_PUBLISHED(seen) -> goto start
		:: MAY_FAIL -> FAIL; publish(seen, next); goto start
		:: MAY_FAIL -> FAIL;
			sent[w].waits = true; sent[w].moves = false; sent[w].old = seen; sent[w].new = next; goto start
		:: KILLED
		fi
	};
#ifdef BROKEN_FILES
	atomic { written[next] = true };
#endif

discard:	/* code: coolid.log.sequencer.Sequencer._publish "self._files.discard_staging(staged_size(head.staging))" */
	atomic {
		if
		:: true
		:: KILLED
		fi;
		batch = 1;
		do	/* trees that grew from a part of the tree from which this one grew */
		:: batch <= ALL ->
			if
			:: staged[batch] != NONE && grown[batch] != grown[file] && (grown[batch] & ~grown[file]) == 0 ->
				staged[batch] = NONE; grown[batch] = 0
			:: else
			fi;
			batch++
		:: batch > ALL -> break
		od;
		batch = 0
	};
	goto list
}

/* What was sent and given up is done after all, or never. */
active proctype Network() {
	byte each;
end:	do
	:: atomic { sent[0].waits -> each = 0; goto late }
#if RUNS > 1
	:: atomic { sent[1].waits -> each = 1; goto late }
#endif
	od;
late:
	atomic {
		if
		:: sent[each].moves -> move_head(sent[each].old, sent[each].new, sent[each].batch)
		:: !sent[each].moves -> publish(sent[each].old, sent[each].new)
		:: true
		fi;
		sent[each].waits = false; sent[each].moves = false;
		sent[each].old = 0; sent[each].new = 0; sent[each].batch = 0;
		each = 0
	};
	goto end
}

/* Versions become public and wait, in any order, because a stream may deliver the second first. */
active proctype Feed() {
	do
	:: atomic { !(added & 1) -> added = added | 1 }
	:: atomic { !(added & 2) -> added = added | 2 }
#if ENTRIES > 2
	:: atomic { !(added & 4) -> added = added | 4 }
#endif
	:: added == ALL -> break
	od
}

init {
	byte each;
	atomic {
		for (each : 0 .. ALL) { staged[each] = NONE };
		written[0] = true;
		run Run(0);
#if RUNS > 1
		run Run(1)
#endif
	}
}

/* With an end to the faults, every entry gets into a published tree. */
ltl ends { <> (published == ALL) }
