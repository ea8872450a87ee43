// The state machine of a card transaction, row by row: the effect of each entry on the tables, on
// the events and on GET. The data of an event equals GET from the same commit on.

import { test } from 'tap'
import type { Sql } from '../../api/database/pool.ts'
import { eventView } from '../../api/webhooks/events/index.ts'
import { incremented, refused } from '../../engine/lifecycle/authorization.ts'
import { expire } from '../../engine/lifecycle/expire.ts'
import { notificationChange } from '../../engine/lifecycle/notification.ts'
import type { CardTransaction } from '../../shared/schemas/card-transaction.ts'
import { NOTIFICATION_KINDS } from '../../shared/schemas/network-message.ts'
import { openHold, TRANSACTION_FLAGS, transactionStatus } from '../../shared/transaction-sums.ts'
import type { JournalEntry } from '../../shared/wire/journal-entry.ts'
import { drain, shownTransaction } from '../harness/drained.ts'
import { decisionEntry } from '../harness/entries.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { fc } from '../harness/properties.ts'
import { Story } from '../harness/story.ts'
import { seedTenant, type TestTenant } from '../harness/tenant.ts'

const FLAGS = TRANSACTION_FLAGS
type Move = (story: Story) => JournalEntry

const approved =
  (cents: number): Move =>
  (story) =>
    story.message('authorization', {
      event: 'authorized',
      amountCents: cents,
      sums: { authorized: cents },
      holdExpiresAtMs: 1_800_000_000_000,
    })
const refusedFirst: Move = (story) =>
  story.message('authorization', { event: 'declined', amountCents: 900, flags: FLAGS.declined })
const captured =
  (cents: number, released: number, flags: number): Move =>
  (story) =>
    story.message('capture', {
      event: 'captured',
      amountCents: cents,
      sums: { captured: cents, released },
      flags,
    })
const reversed =
  (cents: number): Move =>
  (story) =>
    story.message('reversal', { event: 'reversed', amountCents: cents, sums: { reversed: cents } })
const refunded =
  (cents: number, flags: number = FLAGS.final): Move =>
  (story) =>
    story.message('refund', {
      event: 'refunded',
      amountCents: cents,
      sums: { refunded: cents },
      flags,
    })
const expired =
  (cents: number): Move =>
  (story) =>
    story.expiry({ amountCents: cents, sums: { expired: cents } })
const advised =
  (cents: number, declined = false): Move =>
  (story) =>
    story.message('advice', {
      event: declined ? 'declined' : 'authorized',
      amountCents: cents,
      sums: declined ? {} : { authorized: cents },
      flags: declined ? FLAGS.declined : FLAGS.limit_overrun,
      message: {
        advice: { approved: !declined, decidedBy: 'network', code: declined ? '05' : '00' },
      },
    })

const TYPES = {
  authorized: 'card.transaction.authorized',
  declined: 'card.transaction.declined',
  captured: 'card.transaction.captured',
  refunded: 'card.transaction.refunded',
  reversed: 'card.transaction.reversed',
} as const

interface Row {
  name: string
  moves: readonly Move[]
  /** The event types, with the status after each. */
  events: readonly (readonly [type: keyof typeof TYPES, status: string])[]
  shows?: object
}

const ROWS: readonly Row[] = [
  {
    name: 'an approval',
    moves: [approved(1000)],
    events: [['authorized', 'authorized']],
    shows: { sums: { authorized_cents: 1000, open_hold_cents: 1000 }, flags: [] },
  },
  {
    name: 'a repeat whose first never came',
    moves: [
      (story) =>
        story.message('authorization', {
          event: 'authorized',
          amountCents: 1000,
          sums: { authorized: 1000 },
          message: { isRepeat: true },
        }),
    ],
    events: [['authorized', 'authorized']],
    shows: { message: { is_repeat: true }, authorization_request: { attempt: 1 } },
  },
  {
    name: 'a decline',
    moves: [refusedFirst],
    events: [['declined', 'declined']],
    shows: { decline_reason: 'limit_daily', hold_expires_at: null, flags: ['declined'] },
  },
  {
    name: 'an advice of what the network approved',
    moves: [advised(700)],
    events: [['authorized', 'authorized']],
    shows: {
      decision: { decided_by: 'network' },
      message: { mti: '0120', is_advice: true },
      flags: ['limit_overrun'],
    },
  },
  {
    name: 'an advice of what the network declined',
    moves: [advised(700, true)],
    events: [['declined', 'declined']],
  },
  {
    name: 'an increment that is approved',
    moves: [
      approved(1000),
      (story) =>
        story.message('incremental', {
          event: 'authorized',
          amountCents: 500,
          sums: { incremented: 500 },
        }),
    ],
    events: [
      ['authorized', 'authorized'],
      ['authorized', 'authorized'],
    ],
    shows: {
      sequence: 2,
      amount_cents: 500,
      authorization_request: { kind: 'incremental' },
      amounts: { requested_delta: { amount: 500 }, cumulative: { amount: 1500 } },
      sums: { open_hold_cents: 1500 },
      increments: [{ sequence: 2, amount_cents: 500, approved: true, decline_reason: null }],
    },
  },
  {
    name: 'an increment that is declined leaves the transaction authorized',
    moves: [
      approved(1000),
      (story) => story.message('incremental', { event: 'declined', amountCents: 500 }),
    ],
    events: [
      ['authorized', 'authorized'],
      ['declined', 'authorized'],
    ],
    shows: {
      decline_reason: 'limit_daily',
      decision: { approved: false },
      amounts: { cumulative: { amount: 1500 } },
      sums: { open_hold_cents: 1000 },
      increments: [{ approved: false, decline_reason: 'limit_daily' }],
    },
  },
  {
    name: 'the final amount at the pump',
    moves: [
      approved(100),
      (story) =>
        story.message('advice', {
          event: 'authorized',
          amountCents: 6241,
          sums: { adjusted: 6141 },
          message: { advice: { approved: true, decidedBy: 'network', code: '00' } },
        }),
    ],
    events: [
      ['authorized', 'authorized'],
      ['authorized', 'authorized'],
    ],
    shows: {
      amount_cents: 100,
      decision: { decided_by: 'static_controls' },
      sums: { open_hold_cents: 6241 },
      adjustments: [{ sequence: 2, amount_cents: 6241 }],
    },
  },
  {
    name: 'a reversal of a part',
    moves: [approved(1000), reversed(400)],
    events: [
      ['authorized', 'authorized'],
      ['reversed', 'authorized'],
    ],
    shows: { reversal: { stage: 'pre_capture', cause: 'merchant', partial: true } },
  },
  {
    name: 'a reversal of the whole',
    moves: [approved(1000), reversed(1000)],
    events: [
      ['authorized', 'authorized'],
      ['reversed', 'reversed'],
    ],
    shows: { reversal: { partial: false }, reversals: [{ amount_cents: 1000 }] },
  },
  {
    name: 'a hold that runs out',
    moves: [approved(1000), expired(1000)],
    events: [
      ['authorized', 'authorized'],
      ['reversed', 'expired'],
    ],
    shows: {
      hold_expires_at: null,
      reversal: { stage: 'pre_capture', cause: 'expiry', partial: false },
      reversals: [{ message_id: null, sequence: 2 }],
    },
  },
  {
    name: 'three shipments, the last of them final',
    moves: [
      approved(1000),
      captured(300, 0, 0),
      captured(300, 0, 0),
      captured(300, 100, FLAGS.final),
    ],
    events: [
      ['authorized', 'authorized'],
      ['captured', 'partially_captured'],
      ['captured', 'partially_captured'],
      ['captured', 'captured'],
    ],
    shows: {
      flags: ['final'],
      sums: { captured_cents: 900, released_cents: 100, open_hold_cents: 0 },
      amounts: { settlement: { amount: 900 } },
      captures: [{ amount_cents: 300 }, { sequence: 3 }, { sequence: 4, flags: ['final'] }],
    },
  },
  {
    name: 'a capture after the hold ran out',
    moves: [approved(1000), expired(1000), captured(1000, 0, FLAGS.captured_after_expiry)],
    events: [
      ['authorized', 'authorized'],
      ['reversed', 'expired'],
      ['captured', 'captured'],
    ],
    shows: { flags: ['captured_after_expiry'] },
  },
  {
    name: 'a capture after a reversal',
    moves: [approved(1000), reversed(1000), captured(1000, 0, FLAGS.captured_after_reversal)],
    events: [
      ['authorized', 'authorized'],
      ['reversed', 'reversed'],
      ['captured', 'captured'],
    ],
    shows: { flags: ['captured_after_reversal'] },
  },
  {
    name: 'a capture of what was declined',
    moves: [refusedFirst, captured(900, 0, FLAGS.captured_after_decline)],
    events: [
      ['declined', 'declined'],
      ['captured', 'captured'],
    ],
    shows: { flags: ['captured_after_decline'] },
  },
  {
    name: 'a capture without an authorization',
    moves: [captured(1000, 0, FLAGS.force_post)],
    events: [['captured', 'captured']],
    shows: {
      flags: ['force_post'],
      decision: { decided_by: 'network' },
      message: { mti: '0220', kind: 'capture' },
      captures: [{ sequence: 1 }],
    },
  },
  {
    name: 'an authorization after its capture',
    moves: [
      captured(1000, 0, FLAGS.force_post),
      (story) =>
        story.message('authorization', {
          event: 'authorized',
          amountCents: 1000,
          sums: { authorized: 1000 },
          flags: FLAGS.captured_before_authorization,
        }),
    ],
    events: [
      ['captured', 'captured'],
      ['authorized', 'captured'],
    ],
    shows: {
      message: { kind: 'authorization' },
      decision: { decided_by: 'static_controls' },
      flags: ['captured_before_authorization'],
    },
  },
  {
    name: 'an authorization after its reversal',
    moves: [
      (story) =>
        story.message('reversal', {
          event: 'reversed',
          amountCents: 0,
          flags: FLAGS.reversed_before_authorization,
        }),
      (story) =>
        story.message('authorization', {
          event: 'declined',
          amountCents: 1000,
          decision: { declineReason: 'original_reversed' },
        }),
    ],
    events: [
      ['reversed', 'reversed'],
      ['declined', 'reversed'],
    ],
    shows: { decline_reason: 'original_reversed', sums: { open_hold_cents: 0 } },
  },
  {
    name: 'a refund of a part, then of the rest',
    moves: [approved(1000), captured(1000, 0, FLAGS.final), refunded(400), refunded(600)],
    events: [
      ['authorized', 'authorized'],
      ['captured', 'captured'],
      ['refunded', 'partially_refunded'],
      ['refunded', 'refunded'],
    ],
    shows: {
      direction: 'debit',
      sums: { refunded_cents: 1000 },
      refunds: [
        { sequence: 3, amount_cents: 400, reversed: false },
        { sequence: 4, amount_cents: 600, reversed: false },
      ],
    },
  },
  {
    name: 'a refund of nothing we know',
    moves: [refunded(500, FLAGS.unlinked)],
    events: [['refunded', 'refunded']],
    shows: { direction: 'credit', flags: ['unlinked'], refunds: [{ sequence: 1 }] },
  },
  {
    name: 'what a refund named, after it',
    moves: [
      refunded(500, FLAGS.unlinked | FLAGS.awaits_original),
      (story) =>
        story.message('authorization', {
          event: 'authorized',
          amountCents: 1000,
          sums: { authorized: 1000 },
          flags: 0,
        }),
      captured(1000, 0, FLAGS.final),
    ],
    events: [
      ['refunded', 'refunded'],
      ['authorized', 'refunded'],
      ['captured', 'partially_refunded'],
    ],
    shows: {
      direction: 'debit',
      message: { kind: 'authorization' },
      amount_cents: 1000,
      flags: ['final'],
      sums: { authorized_cents: 1000, captured_cents: 1000, refunded_cents: 500 },
      refunds: [{ sequence: 1, flags: ['unlinked', 'awaits_original'] }],
      captures: [{ sequence: 3 }],
    },
  },
  {
    name: 'a capture given back',
    moves: [
      approved(1000),
      captured(1000, 0, FLAGS.final),
      (story) =>
        story.message('capture_reversal', {
          event: 'reversed',
          amountCents: 1000,
          sums: { captureReversed: 1000 },
        }),
    ],
    events: [
      ['authorized', 'authorized'],
      ['captured', 'captured'],
      ['reversed', 'reversed'],
    ],
    shows: { reversal: { stage: 'post_capture', cause: 'merchant', partial: false } },
  },
  {
    name: 'a refund taken back',
    moves: [
      approved(1000),
      captured(1000, 0, FLAGS.final),
      refunded(1000),
      (story) =>
        story.message('refund_reversal', {
          event: 'refunded',
          amountCents: 1000,
          sums: { refundReversed: 1000 },
        }),
    ],
    events: [
      ['authorized', 'authorized'],
      ['captured', 'captured'],
      ['refunded', 'refunded'],
      ['refunded', 'captured'],
    ],
    shows: { refunds: [{ reversed: false }, { reversed: true, amount_cents: 1000 }] },
  },
  {
    name: 'a balance inquiry and a verification are authorizations of nothing',
    moves: [
      (story) =>
        story.message('balance_inquiry', {
          event: 'authorized',
          amountCents: 0,
          decision: { availableCents: 4711 },
        }),
    ],
    events: [['authorized', 'authorized']],
    shows: {
      authorization_request: { kind: 'balance_inquiry' },
      decision: { available_amount_cents: 4711 },
    },
  },
]

interface Told {
  type: string
  data: { transaction: CardTransaction }
}

async function eventsOf(sql: Sql, id: string): Promise<Told[]> {
  const rows = await sql<{ body: Buffer }[]>`
    select body from events where resource_id = ${id} order by seq`
  return rows.map(({ body }) => eventView({ body }) as Told)
}

async function playedTogether(
  sql: Sql,
  tenant: TestTenant,
  moves: readonly Move[],
): Promise<Told[]> {
  const story = new Story(tenant)
  await drain(sql, ...moves.map((move) => move(story)))
  return eventsOf(sql, story.id)
}

test('every row of the state machine, entry by entry and all at once', async (t) => {
  const { sql } = await openTestDatabase(t)
  const tenant = await seedTenant(sql, 'sandbox')
  for (const { name, moves, events, shows } of ROWS) {
    const story = new Story(tenant)
    for (const [at, move] of moves.entries()) {
      await drain(sql, move(story))
      const told = (await eventsOf(sql, story.id)).at(-1)
      const shown = await shownTransaction(sql, tenant, story.id)
      t.same(told?.data.transaction, shown, name + ': event ' + (at + 1) + ' is what GET shows')
      t.equal(shown.sequence, at + 1)
    }
    const told = await eventsOf(sql, story.id)
    t.same(
      told.map(({ type, data }) => [type, data.transaction.status]),
      events.map(([type, status]) => [TYPES[type], status]),
      name,
    )
    t.match(told.at(-1)?.data.transaction, shows ?? {}, name)
    const together = await playedTogether(sql, tenant, moves)
    t.same(together.map(essence), told.map(essence), name + ': the same in one batch')
    const [row] = await sql`select status from card_transactions where id = ${story.id}`
    t.equal(row?.['status'], events.at(-1)?.[1], name + ': the column says so too')
  }
})

test('a long life lists its latest hundred messages, and the sums of all', async (t) => {
  const { sql } = await openTestDatabase(t)
  const tenant = await seedTenant(sql, 'sandbox')
  const story = new Story(tenant)
  const shipment: Move = captured(10, 0, 0)
  const authorization = approved(5000)(story)
  await drain(sql, authorization, ...Array.from({ length: 150 }, () => shipment(story)))
  await drain(sql, shipment(story))
  const shown = await shownTransaction(sql, tenant, story.id)
  t.equal(shown.captures.length, 100)
  t.match(shown.captures[0], { sequence: 53 })
  t.match(shown.sums, { captured_cents: 1510, open_hold_cents: 3490 })
  const told = await eventsOf(sql, story.id)
  t.same(told.at(-1)?.data.transaction, shown)
  t.equal(told.at(-2)?.data.transaction.captures.length, 100)
})

const MESSAGE = fc.record({
  kind: fc.constantFrom('incremental', ...NOTIFICATION_KINDS, 'expiry' as const),
  amountCents: fc.nat(500),
  approved: fc.boolean(),
  final: fc.boolean(),
})
const LIFE = fc.record({
  messages: fc.array(MESSAGE, { maxLength: 12 }),
  /** Sizes of the batches in which they arrive. */
  batches: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 13, maxLength: 13 }),
})

type Sent = typeof MESSAGE extends fc.Arbitrary<infer One> ? One : never

/** The entry that the engine would write, by its own lifecycle. */
function written(story: Story, sent: Sent) {
  const { sums, flags, sequence } = story
  const standing = { sums, flags, sequence, holdExpiresAtMs: 1_800_000_000_000, early: null }
  const { kind, amountCents, final } = sent
  if (kind === 'expiry') return story.changed('expiry', expire(standing), {})
  const approval = { approvedCents: amountCents, holdCents: amountCents, holdExpiresAtMs: 0 }
  if (kind === 'incremental') {
    const change = sent.approved ? incremented(standing, approval) : refused(standing)
    return story.changed(kind, change, { amountCents })
  }
  const advice = { approved: sent.approved, decidedBy: 'network', code: '00' } as const
  const message = { amountCents, final, advice: kind === 'advice' ? advice : null }
  const configRecord = {
    amountCents,
    holdExpiresAtMs: 0,
    message: { ...decisionEntry({}).message, ...message },
  }
  return story.changed(kind, notificationChange(kind, standing, configRecord), message)
}

test('every event equals GET and the engine’s sums, in any messages and batches', async (t) => {
  const { sql } = await openTestDatabase(t)
  const tenant = await seedTenant(sql, 'sandbox')
  await fc.assert(
    fc.asyncProperty(LIFE, async ({ messages, batches }) => {
      const story = new Story(tenant)
      const entries = [approved(1000)(story), ...messages.map((sent) => written(story, sent))]
      for (const size of batches) {
        await drain(sql, ...entries.splice(0, size))
        const told = await eventsOf(sql, story.id)
        const shown = await shownTransaction(sql, tenant, story.id)
        t.strictSame(told.at(-1)?.data.transaction, JSON.parse(JSON.stringify(shown)))
        t.equal(told.length, shown.sequence)
        if (entries.length === 0) break
      }
      const shown = await shownTransaction(sql, tenant, story.id)
      t.equal(shown.status, transactionStatus(story.sums, story.flags))
      t.equal(shown.sums.open_hold_cents, openHold(story.sums))
      return t.passing()
    }),
    { numRuns: 60 },
  )
})

/** The parts that are equal in two plays of one story. */
function essence({ type, data }: Told): object {
  const { transaction } = data
  const text = JSON.stringify({ type, transaction })
  return JSON.parse(
    text
      .replaceAll(transaction.id, 'txn')
      .replaceAll(/"(areq|ntx)_[0-9a-z]+"/g, '"$1"')
      .replaceAll(/"message-\d+"/g, '"message"'),
  )
}
