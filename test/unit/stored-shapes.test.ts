// The text that the drain stores has exactly the shape of the reference: nothing missing, nothing
// more.
import { Ajv } from 'ajv'
import { test } from 'tap'
import type { Static } from 'typebox'
import { isoInstant } from '../../shared/clock.ts'
import { type CardTransaction, cardTransaction } from '../../shared/schemas/card-transaction.ts'
import {
  type CardTransactionMessage,
  cardTransactionMessage,
} from '../../shared/schemas/card-transaction-message.ts'
import {
  CardTransactionMessageShape,
  CardTransactionShape,
} from '../../shared/schemas/card-transaction-shape.ts'
import { MESSAGE_KINDS } from '../../shared/schemas/network-message.ts'
import { decisionEntry } from '../harness/entries.ts'

/** The document is JSON: a value of any other type there is a forgotten field. */
type Plain<Value> = Value extends readonly (infer Item)[]
  ? Plain<Item>[]
  : Value extends object
    ? { [Field in keyof Value]: Plain<Value[Field]> }
    : Value
const everyTransactionFits: (shown: Plain<CardTransaction>) => Static<typeof CardTransactionShape> =
  (shown) => shown
const everyMessageFits: (
  shown: Plain<CardTransactionMessage>,
) => Static<typeof CardTransactionMessageShape> = (shown) => shown

/** The same schema without unnamed fields. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, strict(value)]),
  )
  return 'properties' in inner ? { ...inner, additionalProperties: false } : inner
}

const ajv = new Ajv({
  strictTypes: false,
  allErrors: true,
  formats: { 'date-time': (text: string) => isoInstant(Date.parse(text)) === text },
})
const isTransaction = ajv.compile(strict(CardTransactionShape) as object)
const isMessage = ajv.compile(strict(CardTransactionMessageShape) as object)

test('a card transaction and its messages fit their shapes', (t) => {
  const entry = decisionEntry({
    fx: { rate: '0.0065', source: 'internal', rateAtMs: null, marginBps: 150, version: 3 },
  })
  const { transactionId, card, decision, effect } = entry
  if (transactionId === null || card === null || effect === null)
    throw new Error('an entry of a card')
  const source = { record: { ...entry, transactionId, card }, sequence: 12 }
  const late = { outcome: 'late_decline' as const, latencyMs: 2110, disagrees: true }
  const moments = [...MESSAGE_KINDS, 'expiry' as const].map((kind, index) => ({
    sequence: index + 2,
    kind,
    messageId: kind === 'expiry' ? null : 'msg-' + index,
    amountCents: 100,
    declineReason: null,
    status: 'authorized' as const,
    flags: 0,
    createdAtMs: entry.receivedAtMs + index,
  }))
  const life = {
    createdAtMs: entry.receivedAtMs,
    sums: effect.sums,
    flags: effect.flags,
    holdExpiresAtMs: effect.holdExpiresAtMs,
    moments,
    originalTransactionId: null,
    disputes: [
      {
        id: 'dsp_1',
        amountCents: 100,
        status: 'submitted' as const,
        outcome: null,
        createdAtMs: entry.receivedAtMs,
      },
    ],
  }
  const shown = [
    cardTransaction({ ...source, decision, effect, late, life }),
    cardTransaction({ ...source, decision: null, late: null }),
    cardTransaction({
      ...source,
      decision: { ...decision, tenant: null, standIn: true, standInWould: null },
      late: null,
    }),
  ]
  for (const transaction of shown) {
    t.ok(
      isTransaction(everyTransactionFits(plain(transaction))),
      ajv.errorsText(isTransaction.errors),
    )
  }
  const { reversal, ...without } = plain(cardTransaction({ ...source, decision, late: null }))
  t.notOk(isTransaction(without), 'what is missing is noticed')
  t.notOk(isTransaction({ ...without, reversal, more: 1 }), 'what is more is noticed')
  const message = cardTransactionMessage({ transactionId, entry, effect, late })
  t.ok(isMessage(everyMessageFits(plain(message))), ajv.errorsText(isMessage.errors))
  t.end()
})

function plain<Value>(value: Value): Plain<Value> {
  return JSON.parse(JSON.stringify(value))
}
