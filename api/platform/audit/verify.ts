// Checks a chain: every row exists, continues the one before it, and still matches its hash. The
// evidence of a passkey's approval is checked with its row: its signature is verified again.
import type { AuditVerification } from '../../../shared/schemas/audit-log-entry.ts'
import { verifyEvidence } from '../../access/passkeys/index.ts'
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import { type AuditHead, CHAIN_START, chainedHash } from '../../write/audit.ts'
import { evidenceHash } from '../../write/evidence.ts'
import { findAuditRows, findHead, type ProvedRow } from './store.ts'

/** Rows read at a time: a log is checked in bounded memory. */
const READ_ROWS_MAX = 1000

type Broken = NonNullable<AuditVerification['broken']>

/**
 * Checks at most `rowsMax` rows from number `from` on, against the present head; rows added
 * meanwhile are not checked. The row before the first one is trusted.
 */
export async function verifyLog(
  sql: SqlTag,
  owner: Owner,
  { from, rowsMax }: { from: number; rowsMax: number },
): Promise<AuditVerification> {
  const head = await findHead(sql, owner)
  const last = Math.min(head?.seq ?? 0, from + rowsMax - 1)
  let previous = await hashBefore(sql, owner, from)
  let rows = 0
  let broken: Broken | null = previous === null ? missing(from - 1) : null
  while (broken === null && from + rows <= last) {
    const first = from + rows
    const to = Math.min(first + READ_ROWS_MAX - 1, last)
    const read = await findAuditRows(sql, owner, { from: first, to })
    for (let seq = first; seq <= to && broken === null; seq++) {
      const row = read[seq - first]
      broken = await problemOf(row, seq, previous ?? CHAIN_START)
      if (broken === null && row !== undefined) [previous, rows] = [row.hash, rows + 1]
    }
  }
  const done = head === null || from + rows > head.seq
  if (broken === null && done) broken = await problemAtTheEnd(sql, owner, { head, previous })
  return {
    object: 'audit_log_verification',
    valid: broken === null,
    rows,
    broken,
    head: head === null ? null : { seq: head.seq, hash: head.hash.toString('hex') },
    next_from: broken === null && !done ? from + rows : null,
  }
}

/** The hash before row `seq`; null if the row before it is missing. */
async function hashBefore(sql: SqlTag, owner: Owner, seq: number): Promise<Buffer | null> {
  if (seq === 1) return CHAIN_START
  const [row] = await findAuditRows(sql, owner, { from: seq - 1, to: seq - 1 })
  return row?.hash ?? null
}

async function problemOf(
  row: ProvedRow | undefined,
  seq: number,
  previous: Buffer,
): Promise<Broken | null> {
  if (row?.seq !== seq) return missing(seq)
  if (!row.previousHash.equals(previous))
    return { seq, id: row.id, problem: 'it does not hang on the row before it' }
  if (!row.hash.equals(chainedHash(previous, row)))
    return { seq, id: row.id, problem: 'it was changed' }
  const problem = await evidenceProblem(row)
  return problem === null ? null : { seq, id: row.id, problem }
}

async function evidenceProblem({ evidence, evidenceHash: named }: ProvedRow) {
  if (named === null) return evidence === null ? null : 'it has evidence that it does not name'
  if (evidence === null) return 'its evidence is missing'
  if (!evidenceHash(evidence).equals(named)) return 'its evidence was changed'
  return (await verifyEvidence(evidence)) ? null : 'its evidence does not verify'
}

/**
 * The head names the newest row: this check detects rows cut off at the end, and a removed head.
 */
async function problemAtTheEnd(
  sql: SqlTag,
  owner: Owner,
  { head, previous }: { head: AuditHead | null; previous: Buffer | null },
): Promise<Broken | null> {
  if (head !== null) {
    const ends = head.hash.equals(previous ?? CHAIN_START)
    return ends ? null : { seq: head.seq, id: null, problem: 'the log ends with another row' }
  }
  const [stray] = await findAuditRows(sql, owner, { from: 1, to: READ_ROWS_MAX })
  return stray === undefined
    ? null
    : { seq: stray.seq, id: stray.id, problem: 'the log has no head' }
}

function missing(seq: number): Broken {
  return { seq, id: null, problem: 'the row is missing' }
}
