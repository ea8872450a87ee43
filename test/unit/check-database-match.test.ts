// The databases to which an engine attaches its journal, as a table.
import { test } from 'tap'
import { checkDatabaseMatch, type JournalState } from '../../engine/control/check-database-match.ts'

const fresh: JournalState = { journalId: 'J', syncedSeq: 0, firstSeq: 1, attachedTo: null }
const young: JournalState = { journalId: 'J', syncedSeq: 100, firstSeq: 1, attachedTo: null }
const old: JournalState = { journalId: 'J', syncedSeq: 100, firstSeq: 51, attachedTo: null }
const empty: JournalState = { journalId: 'J', syncedSeq: 100, firstSeq: 101, attachedTo: null }

const rows: readonly [
  name: string,
  state: JournalState,
  journal: [string, number] | null,
  refused: RegExp | null,
][] = [
  ['both are new', fresh, null, null],
  ['a new database, entries kept from the first', young, null, null],
  ['a new database, entries already recycled', old, null, /only from entry 51 .*accept-loss J/],
  ['a new database, all entries recycled', empty, null, /accept-loss J/],
  ['the same point', young, ['J', 100], null],
  ['the database is behind', young, ['J', 7], null],
  ['the database is at the last entry not kept', old, ['J', 50], null],
  [
    'the database is behind what is kept',
    old,
    ['J', 49],
    /older copy of the database.*accept-loss J/,
  ],
  ['everything drained and recycled', empty, ['J', 100], null],
  ['the database is ahead', young, ['J', 101], /copy ends at 100.*accept-loss J/],
  ['the journal directory was emptied', fresh, ['J', 1], /copy ends at 0/],
  ['another journal', young, ['K', 5], /taken journal K up to entry 5.*accept-loss K/],
  ['another journal, this one empty', fresh, ['K', 5], /accept-loss K/],
  ['attached to this database', { ...young, attachedTo: 'd' }, null, null],
  ['attached elsewhere, a new database', { ...young, attachedTo: 'e' }, null, /another database/],
  ['attached before a failover', { ...young, attachedTo: 'e' }, ['J', 90], null],
]

test('an engine attaches only if no decision can be lost or counted twice', async (t) => {
  for (const [name, state, journal, refused] of rows) {
    const answer = checkDatabaseMatch(
      {
        database_id: 'd',
        journal: journal === null ? null : { journal_id: journal[0], seq: journal[1] },
      },
      state,
    )
    t.match(answer, refused === null ? { attached: true } : { attached: false, refused }, name)
  }
})
