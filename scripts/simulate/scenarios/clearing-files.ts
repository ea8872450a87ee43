// The network's report of a day beside the recorded messages: amounts and currencies that differ,
// and messages that are missing on either side.
import { type Document, valueAt } from '../api.ts'
import { matching } from '../differences.ts'
import { newMessageId } from '../message.ts'
import { capturedPurchase, type Purchase } from '../purchase.ts'
import { covering, type Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'

const CENTS = 2500
const FILES = '/operator/v1/clearing_files'

/** An entry of the file; equal to the capture except for the given changes. */
function entryOf({ captureId, currency }: Purchase, change: Document = {}): Document {
  return { message_id: captureId, kind: 'capture', amount_cents: CENTS, currency, ...change }
}

async function open(stage: Stage, { network, capturedAt }: Purchase): Promise<string> {
  const opened = await stage.api.operate('POST', FILES, {
    environment: 'sandbox',
    network,
    file_id: 'file_' + newMessageId(),
    business_date: new Date(capturedAt * 1000).toISOString().slice(0, 10),
  })
  const expected = { status: 200, document: { id: matching(/^clf_/), status: 'open', entries: 0 } }
  stage.check('opened', expected, opened)
  return FILES + '/' + opened.document?.['id']
}

/** Returns the exceptions of one message in this file. */
async function exceptionsOf(stage: Stage, file: string, messageId: string): Promise<unknown> {
  const answer = await stage.api.operate('GET', file + '/exceptions?message_id=' + messageId)
  return valueAt(answer.document, 'data')
}

export const CLEARING_FILES: readonly Scenario[] = covering([56], {
  name: 'clearing_file_mismatch',
  story:
    'A file of the network agrees with one capture, has another amount and another currency of two, one we do not know, and not all.',
  async play(stage) {
    const agreed = await capturedPurchase(stage, CENTS)
    const amount = await capturedPurchase(stage, CENTS)
    const currency = await capturedPurchase(stage, CENTS)
    const missing = await capturedPurchase(stage, CENTS)
    const file = await open(stage, missing)
    const unknown = entryOf(agreed, { message_id: newMessageId() })
    const entries = [
      entryOf(agreed),
      entryOf(amount, { amount_cents: CENTS - 1 }),
      entryOf(currency, { currency: 'JPY' }),
      unknown,
    ]
    const counts = { amount_mismatch: 1, currency_mismatch: 1, missing_here: 1 }
    const given = { status: 200, document: { entries: 4, matched: 1, exceptions: counts } }
    const part = { part: 1, entries }
    stage.check('given', given, await stage.api.operate('POST', file + '/parts', part))
    stage.check('given again', given, await stage.api.operate('POST', file + '/parts', part))
    const other = { part: 1, entries: [unknown] }
    const differs = { status: 409, document: { error: { code: 'clearing_file_differs' } } }
    stage.check('otherwise', differs, await stage.api.operate('POST', file + '/parts', other))
    const closed = await stage.api.operate('POST', file + '/close', { entries: 4 })
    stage.check('closed', { status: 200, document: { status: 'closed', matched: 1 } }, closed)

    const recorded = { amount_cents: CENTS, currency: agreed.currency }
    const of = (purchase: Purchase) => exceptionsOf(stage, file, purchase.captureId)
    stage.check('agreed', [], await of(agreed))
    const lower = { ...recorded, amount_cents: CENTS - 1 }
    stage.check('amount', [{ kind: 'amount_mismatch', in_file: lower, recorded }], await of(amount))
    const yen = { ...recorded, currency: 'JPY' }
    stage.check(
      'currency',
      [{ kind: 'currency_mismatch', in_file: yen, recorded }],
      await of(currency),
    )
    stage.check(
      'missing',
      [{ kind: 'missing_in_file', in_file: null, recorded }],
      await of(missing),
    )
    stage.check(
      'unknown',
      [{ kind: 'missing_here', recorded: null, transaction_id: null }],
      await exceptionsOf(stage, file, String(unknown['message_id'])),
    )
    const transaction = await stage.api.transaction(amount.transactionId)
    stage.check(
      'transaction',
      {
        status: 'captured',
        sums: { captured_cents: CENTS },
        clearing_exceptions: [{ kind: 'amount_mismatch', sequence: 2 }],
      },
      transaction,
    )
  },
})
