import { readFileSync } from 'node:fs'
import { test } from 'tap'
import type { TObject } from 'typebox'
import { REASONS } from '../../api/payments/chain/terms.ts'
import { ERRORS, type ErrorCode } from '../../shared/error-catalog.ts'
import { fieldsOfError } from '../../shared/error-fields.ts'
import { SETTLEMENT_FAILURE_REFERENCE } from '../../shared/payment-reference.ts'
import {
  PAYMENT_STATUSES,
  Payment,
  PaymentCapture,
  PaymentRefund,
  TRANSFER_STATUSES,
} from '../../shared/schemas/payment.ts'
import { PAYMENT_ACCOUNT_STATUSES, PaymentAccount } from '../../shared/schemas/payment-account.ts'
import {
  SETTLEMENT_ACCOUNT_STATUSES,
  SettlementAccount,
} from '../../shared/schemas/settlement-account.ts'
import {
  BATCH_TRIGGERS,
  SETTLEMENT_BATCH_STATUSES,
  SettlementBatch,
} from '../../shared/schemas/settlement-batch.ts'

test('each reason for which the contract moves no money is explained', (t) => {
  const known = Object.keys(SETTLEMENT_FAILURE_REFERENCE)
  t.ok(REASONS.length > 5)
  t.same(
    REASONS.filter((reason) => reason !== 'none' && !known.includes(reason)),
    [],
  )
  t.end()
})

test('the errors of payments have their statuses and fields', (t) => {
  const table: [ErrorCode, number, string[]][] = [
    ['address_refused', 400, ['reason']],
    ['assertion_invalid', 400, ['reason']],
    ['feature_not_enabled', 403, []],
    ['payment_account_not_active', 409, ['current_status']],
    ['settlement_account_not_usable', 409, ['current_status']],
    ['amount_not_available', 409, ['available_cents']],
    ['amount_not_capturable', 409, ['capturable_cents']],
    ['amount_not_refundable', 409, ['refundable_cents']],
    ['approval_expired', 409, []],
    ['passkey_in_use', 409, []],
    ['chain_not_configured', 503, []],
  ]
  for (const [code, status, fields] of table) {
    t.equal(ERRORS[code].status, status, code)
    t.same(fieldsOfError(code), fields, code)
  }
  t.end()
})

const MIGRATION = readFileSync(
  new URL('../../api/database/migrations/0007-payments.sql', import.meta.url),
  'utf8',
)

/** Values that the table's column accepts, by its check. */
function accepted(table: string, column: string): string[] {
  const definition = MIGRATION.split('create table ' + table + ' (')[1]?.split('\n);')[0] ?? ''
  const values = definition.match(new RegExp('check \\(' + column + ' in \\(([^)]*)\\)'))?.[1] ?? ''
  return [...values.matchAll(/'(\w+)'/g)].map(([, value = '']) => value).sort()
}

test('the tables of payments accept the states that the API shows', (t) => {
  const table: [string, string, readonly string[]][] = [
    ['payments', 'status', ['deciding', ...PAYMENT_STATUSES]],
    ['payment_accounts', 'status', PAYMENT_ACCOUNT_STATUSES],
    ['settlement_accounts', 'status', SETTLEMENT_ACCOUNT_STATUSES],
    ['settlement_batches', 'status', SETTLEMENT_BATCH_STATUSES],
    ['settlement_batches', 'trigger', BATCH_TRIGGERS],
    ['payment_refunds', 'status', TRANSFER_STATUSES],
    [
      'payment_captures',
      'status',
      ['asking', 'refusing', ...TRANSFER_STATUSES.filter((status) => status !== 'awaiting_funds')],
    ],
  ]
  for (const [name, column, values] of table)
    t.same(accepted(name, column), [...values].sort(), name + '.' + column)
  t.end()
})

test('every amount of payments is in whole cents', (t) => {
  const shapes: TObject[] = [
    Payment,
    PaymentCapture,
    PaymentRefund,
    PaymentAccount,
    SettlementAccount,
    SettlementBatch,
  ]
  const fields = shapes.flatMap(({ properties }) => Object.entries(properties))
  const amounts = fields.filter(([name]) => /(amount|balance|cents|gross|net)/.test(name))
  t.ok(amounts.length >= 17)
  for (const [name, schema] of amounts) {
    t.match(name, /_cents$/)
    t.match(schema, { type: 'integer' }, name)
  }
  t.end()
})
