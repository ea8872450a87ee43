// The cards that sandbox.json lists, as they are now, and those that no longer match its promise:
// one active that asks, one active that does not, one active whose only limit is daily 10000 and
// unspent.

import type { TxSql } from '../../../api/database/transaction.ts'
import type { LimitInterval } from '../../../shared/wire/config-records.ts'
import { OPEN_CONTROL } from '../../../shared/wire/config-records.ts'
import type { SandboxSecrets } from '../sandbox-secrets.ts'
import { LISTED_CARDS, type ListedPurpose } from './sandbox-plan.ts'

/** A limit below this is narrow for a card that should never reach one. */
const WIDE_CENTS_MIN = 1_000_000
const DAILY_CENTS = 10_000

interface ListedLimit {
  scope: 'card' | 'cardholder'
  interval: LimitInterval
  amount_cents: number
  currency: string
  time_zone: string
}

/** One entry of `cards` in sandbox.json. */
export interface ListedCard {
  id: string
  token: string
  pan: string
  exp_month: number
  exp_year: number
  cvc: string
  status: string
  currency: string
  realtime: boolean
  limits: ListedLimit[]
}

interface State {
  status: string
  realtime: boolean
  limits: ListedLimit[]
  /** Everything but the card's own status and limits lets a purchase through. */
  open: boolean
  spent: boolean
}

/** The listed cards in the order of the plan, with their present status and limits. */
export async function readListedCards(sql: TxSql, secrets: SandboxSecrets): Promise<ListedCard[]> {
  const listed: ListedCard[] = []
  for (const purpose of Object.keys(LISTED_CARDS)) {
    const card = secrets.cards[purpose]
    const state = card === undefined ? null : await readState(sql, card.id)
    if (card === undefined || state === null) continue
    const { id, token, pan, exp_month, exp_year, cvc, currency } = card
    const { status, realtime, limits } = state
    listed.push({ id, token, pan, exp_month, exp_year, cvc, status, currency, realtime, limits })
  }
  return listed
}

/** Purposes whose card no longer matches its promise, or never existed. */
export async function brokenPromises(sql: TxSql, secrets: SandboxSecrets): Promise<string[]> {
  const broken: string[] = []
  for (const [purpose, keeps] of Object.entries(PROMISES)) {
    const card = secrets.cards[purpose]
    const state = card === undefined ? null : await readState(sql, card.id)
    if (!(state?.open && state.status === 'active' && keeps(state))) broken.push(purpose)
  }
  return broken
}

/** The contents of a control that sets nothing but limits. */
const { limits: _limits, ...OPEN } = OPEN_CONTROL
const NO_TERMS = JSON.stringify(OPEN)

const wide = (state: State): boolean =>
  state.limits.every((limit) => limit.amount_cents >= WIDE_CENTS_MIN)

const PROMISES: { readonly [Purpose in ListedPurpose]?: (state: State) => boolean } = {
  listed_realtime: (state) => state.realtime && wide(state),
  listed_plain: (state) => !state.realtime && wide(state),
  listed_daily: (state) => !state.realtime && !state.spent && onlyDailyLimit(state.limits),
}

function onlyDailyLimit(limits: readonly ListedLimit[]): boolean {
  const [limit, ...others] = limits
  return limit?.interval === 'daily' && limit.amount_cents === DAILY_CENTS && others.length === 0
}

async function readState(sql: TxSql, cardId: string): Promise<State | null> {
  const [card] = await sql<{ status: string; realtime: boolean; open: boolean; spent: boolean }[]>`
    select c.status, p.realtime,
      p.status = 'active' and h.status = 'active' and not h.frozen and not exists (
        select 1 from controls o, jsonb_array_elements(o.controls) as one (control)
        where o.subject_id in (c.id, h.id, p.id) and control ->> 'state' = 'active'
        and control || ${NO_TERMS}::text::jsonb <> ${NO_TERMS}::text::jsonb || control
      ) as open,
      exists (
        select 1 from card_transactions t where t.card_id = c.id and t.status = 'authorized'
      ) as spent
    from cards c join programs p on p.id = c.program_id join cardholders h on h.id = c.cardholder_id
    where c.id = ${cardId}`
  if (card === undefined) return null
  const limits = await sql<ListedLimit[]>`
    select o.scope, l.interval, l.amount_cents::float8 as amount_cents, l.currency, l.time_zone
    from cards c join controls o on o.subject_id in (c.id, c.cardholder_id),
      jsonb_array_elements(o.controls) as one (control),
      jsonb_to_recordset(control -> 'limits') as l (interval text, amount_cents bigint, currency text, time_zone text)
    where c.id = ${cardId}
    order by o.scope, l.interval`
  return { ...card, limits: [...limits] }
}
