// Cards by the thousand as config records: each card has a cardholder and controls of its own and
// is found by token or number.
import type { ConfigCache } from '../../engine/config-cache/config-cache.ts'
import type { Derivation } from '../../shared/keyring.ts'
import type { MinorUnits } from '../../shared/money.ts'
import { luhnDigit } from '../../shared/pan.ts'
import {
  type CardConfig,
  type CardholderConfig,
  type ConfigRecord,
  type ControlConfig,
  type LimitConfig,
  openControl,
  type ProgramConfig,
} from '../../shared/wire/config-records.ts'
import { judgedConfig, limitConfig } from '../../test/harness/judged.ts'

/** Cards of one part of a push. */
const PART = 2000
const WIDE = 1_000_000_000_000 as MinorUnits

export interface Population {
  cards: number
  /** Controls per card; the first ten are of ten kinds. */
  controlsEach: number
}

export interface HeldCard {
  token: string
  pan: string
  exp_month: number
  exp_year: number
  cvc: string
}

/** The card with this number, as its network knows it. */
export function heldCard(number: number, derivation: Derivation): HeldCard {
  const body = '999999' + String(number).padStart(9, '0')
  const pan = body + luhnDigit(body)
  return {
    token: tokenOf(number),
    pan,
    exp_month: 12,
    exp_year: 2034,
    cvc: derivation.cvc(pan, 12, 2034),
  }
}

export function tokenOf(number: number): string {
  return 'ctok_' + number
}

/** Puts the whole population, and the records of `more`, into an empty config cache. */
export async function populate(
  configCache: Pick<ConfigCache, 'apply'>,
  population: Population,
  { derivation, more = [] }: { derivation: Derivation; more?: readonly ConfigRecord[] },
): Promise<void> {
  const { program } = judgedConfig()
  await copyConfig(configCache, 'bench', parts())

  function* parts(): Generator<readonly ConfigRecord[]> {
    yield [program, ...more]
    for (let from = 0; from < population.cards; from += PART) {
      const count = Math.min(PART, population.cards - from)
      yield Array.from({ length: count }, (_, at) =>
        configOfCard(from + at, population, derivation),
      ).flat()
    }
  }
}

/** Copies a population as an api pushes it first: one transaction per part. */
export async function copyConfig(
  configCache: Pick<ConfigCache, 'apply'>,
  databaseId: string,
  parts: Iterable<readonly ConfigRecord[]>,
): Promise<void> {
  const resync = { database_id: databaseId, base: 'bench', changes: [], cursor: null }
  await applied(configCache, { ...resync, step: 'begin' })
  for (const changes of parts) await applied(configCache, { ...resync, step: 'part', changes })
  await applied(configCache, { ...resync, step: 'commit', cursor: '1:1:' })
}

async function applied(
  configCache: Pick<ConfigCache, 'apply'>,
  push: Parameters<ConfigCache['apply']>[0],
): Promise<void> {
  const done = await configCache.apply(push)
  if (!done.ok) throw new Error(done.error)
}

function configOfCard(
  number: number,
  { controlsEach }: Population,
  derivation: Derivation,
): ConfigRecord[] {
  const { card, cardholder } = BASE
  const { pan, cvc, token } = heldCard(number, derivation)
  const fingerprint = derivation.fingerprint(pan)
  const id = 'card_' + number
  const holderId = 'ch_' + number
  const own: CardConfig = {
    ...card,
    id,
    cardholder_id: holderId,
    token,
    fingerprint,
    cvc_verifier: derivation.cvcVerifier(fingerprint, cvc),
    windows_id: id,
  }
  const controls = controlsOf(number, controlsEach)
  return [
    { ...cardholder, id: holderId },
    own,
    { type: 'controls', id, version: 1, scope: 'card', controls },
  ]
}

const BASE: { card: CardConfig; cardholder: CardholderConfig; program: ProgramConfig } =
  judgedConfig()

/** Controls that let an everyday purchase pass: ten kinds, repeated. */
function controlsOf(number: number, count: number): ControlConfig[] {
  return Array.from({ length: count }, (_, at) => ({
    ...openControl('ctl_' + number + '_' + at),
    ...KINDS[at % KINDS.length],
  }))
}

const limits = (...changes: Partial<LimitConfig>[]): Pick<ControlConfig, 'limits'> => ({
  limits: changes.map((change, at) =>
    limitConfig({ id: 'lim_' + at, amount_cents: WIDE, ...change }),
  ),
})

const KINDS: readonly Partial<ControlConfig>[] = [
  limits({ interval: 'daily' }, { interval: 'per_authorization' }),
  { mccs: { mode: 'block', values: ['4829', '6010-6012', '6051', '7995', '9406'] } },
  { countries: { mode: 'allow', values: ['US', 'CA', 'MX', 'GB', 'DE', 'FR'] } },
  limits({ interval: 'monthly' }),
  { merchants: { mode: 'block', values: ['m-90', 'm-91', 'm-92'] } },
  { entry_methods: { mode: 'block', values: ['swipe', 'manual'] } },
  { currencies: { mode: 'allow', values: ['USD', 'EUR'] } },
  limits({ interval: 'weekly', amount_cents: null, count: 1_000_000_000 }),
  { fallback: 'blocked' },
  { kinds: { mode: 'block', values: ['cash_withdrawal', 'quasi_cash'] } },
]
