// Many cards of the sandbox. Missing cards are made, a few at a time, and then each is brought into
// the state of its plan. Everything is written down in between, so the next start finds the cards
// of a killed one and finishes them.
import type { Sql } from '../../../api/database/pool.ts'
import { tx } from '../../../api/database/transaction.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { MasterKeys } from '../../../shared/keyring.ts'
import { type SandboxCard, type SandboxSecrets, writeSandboxSecrets } from '../sandbox-secrets.ts'
import type { Callers } from './callers.ts'
import { finishCard } from './finish-card.ts'
import { makeCard } from './make-card.ts'
import { makeCardholder } from './make-cardholder.ts'
import { makePrograms } from './make-programs.ts'
import { type CardPlan, PROGRAMS, type ProgramName, SANDBOX_CARDS } from './sandbox-plan.ts'
import { reachUnreachable } from './unreachable.ts'

/**
 * Writes of one tenant wait for each other where they record events, so more at once would not be
 * faster.
 */
const AT_ONCE_MAX = 8

export interface Seeding {
  dataDir: string
  sql: Sql
  masterKeys: MasterKeys
  clock: Clock
  callers: Callers
  /** Resolves when the engine knows what this transaction changed. */
  covered(xid: string): Promise<void>
}

/** Makes the cards of these purposes that are not known, and those of `instead` anew. */
export async function makeCards(
  seeding: Seeding,
  secrets: SandboxSecrets,
  { purposes, instead = [] }: { purposes: readonly string[]; instead?: readonly string[] },
): Promise<SandboxSecrets> {
  const { callers, dataDir } = seeding
  const programs = await makePrograms(callers, secrets.programs, programsOf(purposes))
  const missing = purposes.filter(
    (purpose) => secrets.cards[purpose] === undefined || instead.includes(purpose),
  )
  const cards = { ...secrets.cards }
  const cardholderOf = cardholders(callers, programs)
  await eachOf(missing, async (purpose) => {
    const plan = planOf(purpose)
    const former = secrets.cards[purpose]
    const externalId = former === undefined ? purpose : purpose + ' after ' + former.id
    const cardholderId = await cardholderOf(plan, externalId)
    cards[purpose] = await makeCard(callers, { externalId, cardholderId, plan })
  })
  const made = { ...secrets, programs, cards }
  if (missing.length > 0) writeSandboxSecrets(dataDir, made)
  return finishCards(seeding, made, purposes)
}

async function finishCards(
  seeding: Seeding,
  secrets: SandboxSecrets,
  purposes: readonly string[],
): Promise<SandboxSecrets> {
  const unfinished = purposes.filter((purpose) => secrets.cards[purpose]?.unfinished === true)
  if (unfinished.length === 0) return secrets
  const placed = unfinished.map((purpose) => {
    const plan = planOf(purpose)
    const { unfinished: _until, ...card } = secrets.cards[purpose] as SandboxCard
    return { purpose, card, invocation: { plan, programId: secrets.programs[plan.program] ?? '' } }
  })
  await eachOf(placed, ({ card, invocation }) => finishCard(seeding.callers, card, invocation))
  const { sql: pool, masterKeys, clock } = seeding
  const cards = { ...secrets.cards }
  const xid = await tx(pool, async (sql) => {
    const world = { sql, masterKeys, now: clock.nowMs() }
    for (const { purpose, card, invocation } of placed)
      cards[purpose] = await reachUnreachable(world, card, invocation)
    const [row] = await sql<{ xid: string | null }[]>`
      select pg_current_xact_id_if_assigned()::text as xid`
    return row?.xid ?? null
  })
  if (xid !== null) await seeding.covered(xid)
  const finished = { ...secrets, cards }
  writeSandboxSecrets(seeding.dataDir, finished)
  return finished
}

/** A purpose that this version does not know any more is an everyday card. */
function planOf(purpose: string): CardPlan {
  return SANDBOX_CARDS[purpose] ?? { program: 'plain' }
}

function programsOf(purposes: readonly string[]): ProgramName[] {
  const named = new Set(purposes.map((purpose) => planOf(purpose).program))
  return (Object.keys(PROGRAMS) as ProgramName[]).filter((name) => named.has(name))
}

/**
 * Returns a function that finds the cardholder of a card: one of its own under its external id, or
 * the one that the other cards of its program share.
 */
function cardholders(callers: Callers, programs: { readonly [name: string]: string }) {
  const shared = new Map<string, Promise<string>>()
  return ({ program, cardholder }: CardPlan, externalId: string): Promise<string> => {
    const programId = programs[program] ?? ''
    if (cardholder !== undefined) return makeCardholder(callers, { name: externalId, programId })
    const one = shared.get(program) ?? makeCardholder(callers, { name: program, programId })
    shared.set(program, one)
    return one
  }
}

/** A few at a time, in order; the first that fails ends it once the others under way have ended. */
async function eachOf<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  const workers = Array.from({ length: AT_ONCE_MAX }, async () => {
    for (const item of waiting) await work(item)
  })
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}
