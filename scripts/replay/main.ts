// `npm run replay`: makes the decisions of the journal again and compares them; with --limit, lists
// the decisions that another limit would change.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connectProblem } from '../../api/database/connect-problem.ts'
import { openPool } from '../../api/database/pool.ts'
import { readConfigHistory } from '../../api/engine-link/config-history.ts'
import {
  type Difference,
  type Redecided,
  redecide,
} from '../../engine/decision-replay/decision-replay.ts'
import { ConfigVersions } from '../../engine/decision-replay/versions.ts'
import { isoInstant } from '../../shared/clock.ts'
import { refuse } from '../../shared/command-line.ts'
import { createLog } from '../../shared/log.ts'
import { isMinorUnits, type MinorUnits } from '../../shared/money.ts'
import type { Result } from '../../shared/result.ts'
import type { KeptConfig, LimitConfig } from '../../shared/wire/config-records.ts'
import type { JournalEntry } from '../../shared/wire/journal-entry.ts'
import { readScriptSettings } from '../config.ts'
import { readJournal } from '../journal/read-journal.ts'
import { runningPostgresUrl } from '../postgres/running.ts'
import { keptJournal } from './kept-journal.ts'

const DIFFERENCES_MAX = 100_000
const SHOWN_MAX = 50

interface Source {
  dataDir: string
  url: string
}

export async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      limit: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
      'data-dir': { type: 'string' },
    },
  })
  const amounts = limitAmounts(values.limit ?? [])
  if (!amounts.ok) return refuse(amounts.error)
  const source = sourceOf(values['data-dir'])
  if (!source.ok) return refuse(source.error)
  const view = await readJournal(join(source.value.dataDir, 'journal'))
  if (!view.ok) return refuse(view.error)
  const kept = keptJournal(view.value)
  if (!kept.ok) return refuse(kept.error)
  const versions = await readVersions(source.value.url)
  if (!versions.ok) return refuse(versions.error)
  const whatIf = amounts.value.size > 0
  const unknown = changeLimits(versions.value, amounts.value)
  if (unknown.length > 0)
    return refuse('No kept version of a spending control has this limit: ' + unknown.join(', '))
  const result = await redecide({
    ...kept.value,
    versions: versions.value,
    log: createLog({ name: 'replay', level: 'silent' }),
    whatIf,
    differencesMax: DIFFERENCES_MAX,
  })
  if (values.json) print(JSON.stringify({ ...result, differences: result.differences.map(plain) }))
  else show(result, whatIf)
  return whatIf || result.differences.length === 0 ? 0 : 1
}

function sourceOf(givenDataDir: string | undefined): Result<Source, string> {
  const settings = readScriptSettings(['SVC_DATA_DIR', 'DATABASE_URL'])
  if (!settings.ok) return { ok: false, error: settings.error.join('\n') }
  const dataDir = givenDataDir ?? settings.value.SVC_DATA_DIR
  const url = settings.value.DATABASE_URL ?? runningPostgresUrl(join(dataDir, 'postgres'))
  if (url !== null) return { ok: true, value: { dataDir, url } }
  const error = 'DATABASE_URL is not set and no npm start is running on ' + dataDir + '.'
  return { ok: false, error }
}

async function readVersions(url: string): Promise<Result<ConfigVersions, string>> {
  const sql = openPool(url, { max: 1, applicationName: 'svc-replay' })
  try {
    const versions = new ConfigVersions()
    for await (const configRecord of readConfigHistory(sql)) versions.add(configRecord)
    return { ok: true, value: versions }
  } catch (error) {
    return { ok: false, error: connectProblem(error, url) }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

function limitAmounts(texts: readonly string[]): Result<Map<string, MinorUnits>, string> {
  const amounts = new Map<string, MinorUnits>()
  for (const text of texts) {
    const [, id, digits] = /^([0-9A-Za-z_]{1,64})=(\d{1,16})$/.exec(text) ?? []
    const amount = Number(digits)
    if (id === undefined || !isMinorUnits(amount))
      return { ok: false, error: '--limit must be a limit’s id and minor units: lim_…=5000.' }
    amounts.set(id, amount)
  }
  return { ok: true, value: amounts }
}

/** Gives limits other amounts in every version; the ids of those that stand in none. */
function changeLimits(
  versions: ConfigVersions,
  amounts: ReadonlyMap<string, MinorUnits>,
): readonly string[] {
  const unknown = new Set(amounts.keys())
  const changed = (limit: LimitConfig): LimitConfig => {
    unknown.delete(limit.id)
    return { ...limit, amount_cents: amounts.get(limit.id) ?? limit.amount_cents }
  }
  if (amounts.size > 0) versions.change((configRecord) => withLimits(configRecord, changed))
  return [...unknown]
}

function withLimits(
  configRecord: KeptConfig,
  changed: (limit: LimitConfig) => LimitConfig,
): KeptConfig {
  if (configRecord.type !== 'controls') return configRecord
  const controls = configRecord.controls.map((one) => ({ ...one, limits: one.limits.map(changed) }))
  return { ...configRecord, controls }
}

function show(result: Redecided, whatIf: boolean): void {
  const { decisions, identical, unknown, lostReservations, differences } = result
  print(decisions + ' decisions, ' + identical + (whatIf ? ' unchanged.' : ' identical.'))
  if (unknown > 0)
    print(unknown + ' name versions that are not kept, or were begun before the snapshot.')
  if (lostReservations > 0)
    print(lostReservations + ' differ only in reservations that were lost with a crash.')
  print(differences.length + (whatIf ? ' would change.' : ' differ.'))
  for (const difference of differences.slice(0, SHOWN_MAX)) print('  ' + line(difference))
  if (differences.length > SHOWN_MAX) print('  … --json lists all of them')
}

function line({ seq, recorded, decided }: Difference): string {
  const at = recorded.kind === 'decision' ? isoInstant(recorded.receivedAtMs) : ''
  const id = recorded.kind === 'decision' ? (recorded.transactionId ?? '') : ''
  const words = [String(seq), at, id, wordOf(recorded) + ' → ' + wordOf(decided)]
  return words.filter((word) => word !== '').join('  ')
}

function wordOf(entry: JournalEntry | null): string {
  if (entry === null) return 'nothing'
  if (entry.kind !== 'decision') return entry.kind
  const { approved, approvedAmountCents, declineReason } = entry.decision
  return approved ? 'approved ' + approvedAmountCents : 'declined ' + declineReason
}

function plain({ seq, recorded, decided }: Difference) {
  const id = recorded.kind === 'decision' ? recorded.transactionId : null
  return { seq, transaction_id: id, recorded: wordOf(recorded), decided: wordOf(decided) }
}

function print(text: string): number {
  process.stdout.write(text + '\n')
  return 0
}
