// The engine's private socket: HTTP/1.1 over a Unix socket (mode 0600), bodies in msgpack unless
// noted. Both sides import the paths and bodies from here.
import type { DeclineReason } from '../decline-reason.ts'
import type { TraceRow } from '../rule-catalog.ts'
import type { NetworkMessage } from '../schemas/network-message.ts'
import type { ConfigChange, Environment } from './config-records.ts'
import type { ShadowVerdict } from './journal-entry.ts'

export const CONTROL_PATHS = {
  /** GET → StatusAnswer. */
  status: '/status',
  /** POST AttachRequest → AttachAnswer. Must succeed before config records are pushed. */
  attach: '/attach',
  /** POST ConfigPush → {}. Answered when the batch is committed. */
  configCache: '/facts',
  /**
   * GET ?xid=N → 200 {} as soon as the config cache's cursor covers that transaction; 504 {} after
   * ENGINE_COVER_MS_MAX. With `&settled` it also waits until the journal has every decision made
   * by then.
   */
  covers: '/covers',
  /**
   * GET ?from=SEQ&bytes_max=N → raw journal frames (application/octet-stream), each entry prefixed
   * by its length (u32 LE), with JOURNAL_HEADERS. Waits a moment where there is nothing new, then
   * answers with none. 410 where they are gone.
   */
  journal: '/journal',
  /** POST DrainedRequest → {}. Entries up to `seq` are in Postgres. */
  drained: '/drained',
  /**
   * POST EvaluateRequest → EvaluateAnswer: the same rules on the same state, without a record. 400
   * for a malformed message, 404 for an unknown card, 503 while the engine decides nothing.
   */
  evaluate: '/evaluate',
  /**
   * POST PaymentMessage → DecideAnswer, when the entry of the decision is synced. 400 for a
   * malformed message, 422 where its id was used with other content, 503 while the engine decides
   * nothing or does not know the account yet; nothing is stored then.
   */
  decide: '/decide',
  /** GET ?endpoints=we_1,we_2 → BreakersAnswer. */
  breakers: '/breakers',
  /** POST EndHolds → EndHoldsAnswer. Holds that are over by the clock of their tenant. */
  endHolds: '/end_holds',
  /** POST DatabaseClock → {}. Reports the time by the database's clock. */
  clock: '/clock',
  /** POST AcceptClock → {}, before `attach` too. 409 where the disagreement is another one. */
  acceptClock: '/accept_clock',
} as const

/**
 * Headers of a journal page: the journal's id, the sequence of the first entry, the number of
 * entries.
 */
export const JOURNAL_HEADERS = {
  journalId: 'svc-journal-id',
  firstSeq: 'svc-first-seq',
  count: 'svc-count',
} as const

/**
 * Every answer other than 200 carries one sentence. Asked before `attach` succeeded: 409
 * NOT_ATTACHED.
 */
export interface ControlRefusal {
  error: string
}

export interface ControlStatus {
  ready: boolean
  /** Why not ready, in one sentence; null when ready. */
  reason: string | null
  journal_id: string
  epoch: number
  /** Sequence of the last entry that is synced; 0 when none. */
  synced_seq: number
  drained_seq: number
  /** False until a database confirmed this journal as its own. */
  attached: boolean
  /** Identity of the database that the config records came from; null without any. */
  database_id: string | null
  /** `pg_snapshot` text of the config records, or null while they are incomplete. */
  facts_cursor: string | null
  /** Null on one machine. Each member of a shard gets the config records. */
  member_id: string | null
  /** False for a member that hears no owner: its journal may stand still. Absent: it hears. */
  hears?: boolean
  /** A front door: it takes config records and has no journal. Absent: an engine. */
  is_door?: boolean
}

/** The engine's report of itself, with the lines that its log still keeps. */
export interface StatusAnswer extends ControlStatus {
  /** The first journal entry that can still be read, or would be written next. */
  first_seq: number
}

export interface AttachRequest {
  database_id: string
  /** The position to which Postgres has drained the journal; null if it never drained one. */
  journal: { journal_id: string; seq: number } | null
}

/** `refused` carries the sentence for the operator; the engine stays not ready. */
export type AttachAnswer = { attached: true } | { attached: false; refused: string }

export interface ConfigPush {
  database_id: string
  /**
   * `begin` opens an empty generation beside the current one, `part` adds to it, `commit` makes it
   * the current one with `cursor`; `change` applies to the current one and moves its cursor.
   */
  step: 'begin' | 'part' | 'commit' | 'change'
  /**
   * The state that the step builds on: the present cursor of the config records for `change`, a
   * name that the pusher gave its resync for the other steps. The engine refuses any other value,
   * so two pushers never mix.
   */
  base: string | null
  changes: readonly ConfigChange[]
  /** `pg_snapshot` text that covers the rows; null with `begin` and `part`. */
  cursor: string | null
}

export interface DrainedRequest {
  journal_id: string
  seq: number
}

/**
 * The engine ends a hold only if it is open and was due by then; a hold that has ended stays as it
 * is.
 */
export interface EndHolds {
  holds: readonly HoldToEnd[]
}

export interface HoldToEnd {
  /** `txn_…`, and the 16 bytes its messages share. */
  transaction_id: string
  link: Uint8Array
  /** The moment by the clock of the tenant. */
  now_ms: number
}

export interface DatabaseClock {
  now_ms: number
}

/** An operator's word: the system clock is right, and the named sources are not. */
export interface AcceptClock {
  /** As the engine's refusal names it. */
  disagreement: string
}

export interface EndHoldsAnswer {
  ended: number
}

/**
 * An authorization that no network sent. `message.card` names the card by its token; the id and the
 * times in it are ignored.
 */
export interface EvaluateRequest {
  card_id: string
  environment: Environment
  message: NetworkMessage
}

/** The answer that an authorization would get now, before any tenant is asked. */
export interface EvaluateAnswer {
  approved: boolean
  /** The amount that would be approved; less than requested if the terminal takes a part. */
  approved_amount_cents: number
  /** ISO 8583 field 39. */
  response_code: string
  decline_reason: DeclineReason | null
  decline_detail: string | null
  trace: readonly TraceRow[]
  /**
   * The largest amount in the message's currency that these rules approve now; 0 where they approve
   * none.
   */
  max_approvable_amount_cents: number
  /** True where the tenant would be asked before the approval leaves. */
  would_ask: boolean
  /** Verdicts of drafts, which change nothing. */
  shadow: readonly ShadowVerdict[]
  config: {
    program_version: number
    cardholder_version: number
    card_version: number
    /** Versions of the controls of program, cardholder and card; 0 where there are none. */
    controls_versions: readonly [program: number, cardholder: number, card: number]
    engine_build: string
  }
}

/** Kinds of messages of the network of payments. Only an authorization is decided. */
export const PAYMENT_KINDS = ['authorization', 'reversal', 'capture', 'capture_reversal'] as const
export type PaymentKind = (typeof PAYMENT_KINDS)[number]

/** A message about one payment. Its account's currency is USD. */
export interface PaymentMessage {
  /** `pay_…` for an authorization, `cap_…` for a capture: the same id again recalls the answer. */
  id: string
  kind: PaymentKind
  environment: Environment
  /** `pay_…`: the messages of a payment share it. */
  payment_id: string
  /** `pacc_…`. */
  payment_account_id: string
  amount_cents: number
  /** The settlement account that is paid. */
  merchant: { id: string; name: string; mcc: string; country: string }
  /** For a capture: nothing more follows, so the rest of the hold is released. */
  final: boolean
  /** For an authorization: when its hold ends by the tenant's clock; else null. */
  hold_expires_at_ms: number | null
}

/**
 * `decided`: the durable journal entry, as the drain will bring it. `recalled`: the message was
 * decided before, and the drain brings its entry or has brought it.
 */
export type DecideAnswer =
  | { state: 'decided'; entry: Uint8Array }
  | { state: 'recalled'; approved: boolean; decline_reason: string | null }

/**
 * Whether an endpoint is asked: `open` not at all, `half_open` once a second to see whether it is
 * back.
 */
export type BreakerState = 'closed' | 'open' | 'half_open'

export interface BreakerReport {
  state: BreakerState
  /** Milliseconds since it last opened or closed; null where it never opened. */
  for_ms: number | null
  /** Since the engine started. */
  opened_count: number
}

/** In the order of the ids that were asked for. */
export type BreakersAnswer = readonly BreakerReport[]

/** True when the transaction is visible in the `pg_snapshot` text `xmin:xmax:xip,…`. */
export function snapshotCovers(snapshot: string, xid: bigint): boolean {
  const [low, high, open] = snapshot.split(':')
  if (low === undefined || high === undefined) return false
  if (xid < BigInt(low)) return true
  if (xid >= BigInt(high)) return false
  return open === undefined || open === '' || !open.split(',').some((text) => BigInt(text) === xid)
}

/** True when the `pg_snapshot` text was taken at the same moment as the earlier one or after it. */
export function snapshotFollows(snapshot: string, earlier: string): boolean {
  const [low, high] = snapshot.split(':')
  const [lowBefore, highBefore] = earlier.split(':')
  return BigInt(low ?? 0) >= BigInt(lowBefore ?? 0) && BigInt(high ?? 0) >= BigInt(highBefore ?? 0)
}
