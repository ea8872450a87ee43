// Anchors as lines of JSON: a moment, and the newest row of each log with its hash. Lines that were
// kept are compared with the rows of the database.

import { type EpochMs, isoInstant } from '../../../shared/clock.ts'
import { Type } from '../../../shared/schema-builders.ts'
import { hasShape } from '../../../shared/shape.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import { parsedJson } from '../../http/outside-caller.ts'
import type { AuditHead } from '../../write/audit.ts'
import { findHashes } from './store.ts'

/** The newest row of a log at a moment. */
export type Anchor = Owner & AuditHead

const Line = Type.Object({
  at: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
  heads: Type.Array(
    Type.Object({
      tenant_id: Type.String({ minLength: 1, maxLength: 64 }),
      environment: Type.Enum(['sandbox', 'live']),
      seq: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
  ),
})

/** One line, without its end. */
export function anchorLine(now: EpochMs, anchors: readonly Anchor[]): string {
  return JSON.stringify({
    at: isoInstant(now),
    heads: anchors.map(({ tenantId, environment, seq, hash }) => {
      return { tenant_id: tenantId, environment, seq, hash: hash.toString('hex') }
    }),
  })
}

const BEGINNING = '{"at":"'

/**
 * True for the beginning of a line whose writing was cut, as by a loss of power. It contradicts
 * nothing: whoever can cut a line can take it away as well.
 */
export function isCutLine(line: string): boolean {
  return line !== '' && parsedJson(Buffer.from(line)) === null && isBeginning(line)
}

function isBeginning(line: string): boolean {
  return line.startsWith(BEGINNING) || BEGINNING.startsWith(line)
}

export interface Compared {
  at: string
  anchors: number
  /** A sentence for each anchor that the database contradicts. */
  problems: string[]
}

/**
 * Compares the anchors of one line with the rows that they name, of one tenant or of all. Returns
 * null where the text is no line of anchors.
 */
export async function compareAnchors(
  sql: SqlTag,
  line: string,
  tenantId: string | null,
): Promise<Compared | null> {
  const kept = parsedJson(Buffer.from(line))
  if (!hasShape(Line, kept)) return null
  const anchors = kept.heads
    .filter((head) => tenantId === null || head.tenant_id === tenantId)
    .map(({ tenant_id, environment, seq, hash }) => {
      return { tenantId: tenant_id, environment: environment as Environment, seq, hash }
    })
  const hashes = anchors.length === 0 ? [] : await findHashes(sql, anchors)
  const problems = anchors.flatMap(({ tenantId: owner, environment, seq, hash }, at) => {
    const found = hashes[at] ?? null
    if (found?.toString('hex') === hash) return []
    const what = found === null ? ' is missing' : ' has another hash now'
    return [owner + ' ' + environment + ': row ' + seq + what + '; it was anchored at ' + kept.at]
  })
  return { at: kept.at, anchors: anchors.length, problems }
}
