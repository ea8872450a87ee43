// The only writer of controls: it writes the next version and the engine's form in the caller's
// transaction.
import { isDeepStrictEqual } from 'node:util'
import type { EpochMs } from '../../../shared/clock.ts'
import type { ControlTerms } from '../../../shared/schemas/spending-control.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { compileControl } from './compile.ts'
import {
  type Bound,
  compileSubject,
  insertControl,
  insertVersion,
  type NewControl,
} from './store.ts'
import type { ControlRow, ControlState } from './view.ts'

/** Chosen: every authorization reads all controls of a subject, so their number is bounded. */
const SUBJECT_CONTROLS_MAX = 16
const SUBJECT_LIMITS_MAX = 48
const SUBJECT_BYTES_MAX = 64 * 1024

/** Author of a version, and its time. `createdBy` is null if no caller wrote it. */
export interface Author {
  owner: Owner
  createdBy: string | null
  now: EpochMs
}

/** Writes a control's first version. The caller locks the subject. */
export async function createControl(
  sql: TxSql,
  author: Author,
  control: NewControl & { terms: ControlTerms },
): Promise<ControlRow> {
  const { owner, now } = author
  await insertControl(sql, owner, { ...control, now })
  return writeVersion(sql, author, { ...control, version: 1 })
}

/** Writes the control's next version. A control with equal terms and state stays as it is. */
export async function saveControl(
  sql: TxSql,
  author: Author,
  held: ControlRow,
  change: { state?: ControlState; terms?: ControlTerms },
): Promise<ControlRow> {
  const { state = held.state, terms = held.terms } = change
  if (state === held.state && isDeepStrictEqual(terms, held.terms)) return held
  return writeVersion(sql, author, { ...held, state, terms, version: held.version + 1 })
}

async function writeVersion(
  sql: TxSql,
  { owner, createdBy, now }: Author,
  control: NewControl & { terms: ControlTerms; version: number },
): Promise<ControlRow> {
  const { id: controlId, version, state, terms, scope, subjectId } = control
  const compiled = compileControl(control, terms)
  const row = await insertVersion(sql, owner, {
    controlId,
    version,
    state,
    terms,
    compiled,
    createdBy,
    now,
  })
  refuseTooMuch(await compileSubject(sql, owner, { scope, id: subjectId }))
  return row
}

function refuseTooMuch({ controls, limits, bytes }: Bound): void {
  const within =
    controls <= SUBJECT_CONTROLS_MAX && limits <= SUBJECT_LIMITS_MAX && bytes <= SUBJECT_BYTES_MAX
  if (!within) {
    throw new Refusal('too_many_controls', {
      extra: {
        controls_max: SUBJECT_CONTROLS_MAX,
        limits_max: SUBJECT_LIMITS_MAX,
        bytes_max: SUBJECT_BYTES_MAX,
      },
    })
  }
}
