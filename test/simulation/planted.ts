// Planted bugs that prove the checks: green seeds count only beside them. One row is one bug; it
// changes the state of a line, its log, the remains of a crash, or the time at which the line
// learns that entries are durable.
import type { ConfigReader } from '../../engine/config-cache/reader.ts'
import type { SimulatedDisk, SimulatedLog } from '../../engine/journal/simulated-log.ts'
import { type DecisionState, emptyState } from '../../engine/state/decision-state.ts'
import { isRollingZone } from '../../engine/state/rolling.ts'
import type { Clock } from '../../shared/clock.ts'
import { decodeId } from '../../shared/id.ts'
import { TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { type DecisionEntry, decodeEntry } from '../../shared/wire/journal-entry.ts'

import type { SimulatedConfig } from './simulated-config.ts'

export interface Planted {
  /** The state as a line with the bug sees it. */
  state?(state: DecisionState, clock: Clock): DecisionState
  /** The configuration as that line reads it. */
  configCache?(configCache: SimulatedConfig): ConfigReader
  /** Changes the log as that line uses it. */
  log?(log: SimulatedLog, state: DecisionState): void
  /** Changes the remains of a crash. */
  crash?(disk: SimulatedDisk): void
  answersEarly?: true
}

const ALL_TIME = 4

export const PLANTED = {
  answer_before_durable: { answersEarly: true },
  windows_not_rebuilt: {
    state: (state) => ({
      ...state,
      meters: emptyState().meters,
      transactions: emptyState().transactions,
    }),
  },
  duplicate_decided_again: { state: (state) => ({ ...state, recall: emptyState().recall }) },
  nothing_reserved: {
    state(state) {
      state.meters.reserve = () => {}
      state.meters.unreserve = () => {}
      return state
    },
  },
  reserved_after_a_wait: { state: reserveLate },
  reservation_never_ended: {
    state(state) {
      state.meters.unreserve = () => {}
      return state
    },
  },
  reservation_ended_twice: {
    state(state) {
      const { meters } = state
      const unreserve = meters.unreserve.bind(meters)
      meters.unreserve = (meter, day, amount, count) => {
        unreserve(meter, day, amount, count)
        if (meters.reserved(meter, ALL_TIME, day) >= amount) unreserve(meter, day, amount, 0)
      }
      return state
    },
  },
  given_back_in_todays_window: {
    state(state, clock) {
      const { meters } = state
      const use = meters.use.bind(meters)
      const rolling = new Set<number>()
      let looked = 0
      meters.use = (meter, at, amount, count) => {
        for (const [, zone] of [...meters.rows()].slice(looked))
          if (isRollingZone(zone)) rolling.add(looked++)
          else looked++
        const today = Number(new Date(clock.nowMs()).toISOString().slice(0, 10).replaceAll('-', ''))
        use(meter, amount < 0 && !rolling.has(meter) ? today : at, amount, count)
      }
      return state
    },
  },
  given_back_twice: {
    state(state) {
      const { meters } = state
      const use = meters.use.bind(meters)
      meters.use = (meter, at, amount, count) => {
        use(meter, at, amount, count)
        if (amount < 0 && meters.used(meter, ALL_TIME, at) >= -amount) use(meter, at, amount, 0)
      }
      return state
    },
  },
  hold_ends_twice: {
    state(state) {
      const { transactions } = state
      const expired = transactions.expired.bind(transactions)
      let last = -1
      transactions.expired = (now) => {
        const again = last
        last = again === -1 ? expired(now) : -1
        return again === -1 ? last : again
      }
      return state
    },
  },
  hold_never_ends: {
    state(state) {
      state.transactions.expired = () => -1
      return state
    },
  },
  early_reversal_ignored: {
    state: (state) => withoutFlag(state, TRANSACTION_FLAGS.reversed_before_authorization),
  },
  early_refund_never_joined: {
    state: (state) => withoutFlag(state, TRANSACTION_FLAGS.awaits_original),
  },
  early_capture_reversal_forgotten: {
    state(state) {
      const { transactions } = state
      const read = transactions.read.bind(transactions)
      transactions.read = (row) => ({ ...read(row), early: null })
      return state
    },
  },
  credits_not_counted: {
    state(state) {
      state.credits.apply = () => {}
      return state
    },
  },
  captures_cover_credits_twice: {
    state(state) {
      state.credits.ofOriginal = () => 0
      return state
    },
  },
  billing_believed: {
    configCache(configCache) {
      configCache.fxRate = () => null
      return configCache
    },
  },
  follow_up_finds_nothing: {
    state(state) {
      const { transactions } = state
      const find = transactions.find.bind(transactions)
      // Effects are applied by id; only a search by link alone goes wrong.
      transactions.find = (link, id = null) => (id === null ? -1 : find(link, id))
      return state
    },
  },
  old_fact_applied_again: {
    state(state) {
      state.transactions.knowing = () => -1
      return state
    },
  },
  portions_not_kept: {
    state(state) {
      state.transactions.setPortions = () => {}
      return state
    },
  },
  late_reply_changes_the_answer: { log: answerTheLate },
  torn_entry_kept: {
    crash({ entries }) {
      const last = entries.at(-1)
      if (last !== undefined && entries.length > 1)
        entries[entries.length - 1] = {
          seq: last.seq,
          bytes: last.bytes.subarray(0, last.bytes.length >> 1),
        }
    },
  },
  synced_entry_lost: {
    crash({ entries }) {
      if (entries.length > 1) entries.pop()
    },
  },
} as const satisfies { readonly [name: string]: Planted }

export type PlantedName = keyof typeof PLANTED

/** A state that never shows a flag. */
function withoutFlag(state: DecisionState, flag: number): DecisionState {
  const { transactions } = state
  const read = transactions.read.bind(transactions)
  transactions.read = (row) => {
    const transaction = read(row)
    return { ...transaction, flags: transaction.flags & ~flag }
  }
  return state
}

/** Check, wait, reserve: in the gap another authorization sees the same headroom. */
function reserveLate(state: DecisionState, clock: Clock): DecisionState {
  const { meters } = state
  const reserve = meters.reserve.bind(meters)
  const unreserve = meters.unreserve.bind(meters)
  const waiting: string[] = []
  meters.reserve = (meter, at, amount, count) => {
    const name = [meter, at, amount, count].join()
    waiting.push(name)
    clock.after(40, () => {
      const place = waiting.indexOf(name)
      if (place === -1) return
      waiting.splice(place, 1)
      reserve(meter, at, amount, count)
    })
  }
  meters.unreserve = (meter, at, amount, count) => {
    const place = waiting.indexOf([meter, at, amount, count].join())
    if (place === -1) unreserve(meter, at, amount, count)
    else waiting.splice(place, 1)
  }
  return state
}

/** A reply after the deadline inverts the remembered answer. */
function answerTheLate(log: SimulatedLog, { recall }: DecisionState): void {
  const append = log.append.bind(log)
  const decided = new Map<string, DecisionEntry>()
  log.append = (bytes) => {
    const entry = decodeEntry(bytes)
    if (entry.kind === 'decision' && entry.transactionId !== null)
      decided.set(entry.transactionId, entry)
    const original = entry.kind === 'late_reply' ? decided.get(entry.transactionId) : undefined
    if (entry.kind === 'late_reply' && entry.disagrees && original !== undefined)
      recall.put({
        key: original.messageKey,
        contentHash: original.contentHash,
        transaction: decodeId(entry.transactionId.slice(4)),
        approved: !original.decision.approved,
        approvedAmountCents: 0,
        authorizationCode: null,
        declineReason: original.decision.approved ? 'tenant_declined' : null,
        decidedBy: 'tenant',
        standIn: false,
        availableCents: null,
        advisedCode: null,
        receivedAtMs: original.receivedAtMs,
      })
    return append(bytes)
  }
}
