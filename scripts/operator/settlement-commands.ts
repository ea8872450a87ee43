// Commands of payments: an operator decides on failed payments and batches, runs, pauses and
// resumes settling, and records fees.
import type { Command } from './caller.ts'
import { fields, table } from './show.ts'

const PAYMENTS = '/operator/v1/payments'
const BATCHES = '/operator/v1/settlement_batches'
const CHAINS = '/operator/v1/chains'
const BATCH_COLUMNS = ['id', 'settlement_account_id', 'status', 'gross_cents', 'created']

/** A command that changes one thing without a field. */
function moves(words: string, names: string, about: string, path: (id: string) => string): Command {
  return {
    words,
    names,
    about,
    fields: {},
    run: (call, id) => call.send('POST', path(id), {}),
    show: fields,
  }
}

export const SETTLEMENT_COMMANDS: readonly Command[] = [
  moves(
    'payments retry',
    'PAYMENT',
    'Queues the failed captures of a payment for another batch.',
    (id) => PAYMENTS + '/' + id + '/retry',
  ),
  moves(
    'payments abandon',
    'PAYMENT',
    'Gives up the failed captures of a payment and releases its rest.',
    (id) => PAYMENTS + '/' + id + '/abandon',
  ),
  {
    words: 'settlements reviews',
    names: null,
    about: 'Settlement batches whose review is open, newest first.',
    fields: {},
    run: (call) => call.list(BATCHES, { review: 'open' }),
    show: (answer) => table(answer, BATCH_COLUMNS),
  },
  {
    words: 'settlements resolve',
    names: 'BATCH',
    about: 'Resolves the review of a batch.',
    fields: {
      resolution: { kind: 'text', required: true, about: 'retry or abandon its failed captures' },
    },
    run: (call, id, given) => call.send('POST', BATCHES + '/' + id + '/resolve', given),
    show: fields,
  },
  moves(
    'settlements cancel',
    'BATCH',
    'Cancels a batch whose transaction is in no block.',
    (id) => BATCHES + '/' + id + '/cancel',
  ),
  {
    words: 'settlements run',
    names: 'TENANT',
    about: 'Closes a batch of each settlement account of a tenant now.',
    fields: { environment: { kind: 'text', required: true, about: 'sandbox or live' } },
    run: (call, id, given) =>
      call.send('POST', '/operator/v1/tenants/' + id + '/settlement_runs', given),
    show: (answer) => table({ data: answer['settlement_batches'] }, BATCH_COLUMNS),
  },
  {
    words: 'settlements fee',
    names: 'ACCOUNT',
    about: 'Records the fee of a settlement account.',
    fields: {
      'fee-bps': { kind: 'number', required: true, about: 'hundredths of a percent, at most 500' },
    },
    run: (call, id, given) =>
      call.send('PUT', '/operator/v1/settlement_accounts/' + id + '/fee', given),
    show: fields,
  },
  {
    words: 'chain show',
    names: 'ENVIRONMENT',
    about: 'Shows whether settling goes on.',
    fields: {},
    run: (call, id) => call.read(CHAINS + '/' + id),
    show: fields,
  },
  moves('chain pause', 'ENVIRONMENT', 'Pauses settling; authorizing goes on.', (id) =>
    [CHAINS, id, 'pause'].join('/'),
  ),
  moves(
    'chain resume',
    'ENVIRONMENT',
    'Resumes settling after a pause, or a stop whose reason is known.',
    (id) => [CHAINS, id, 'resume'].join('/'),
  ),
]
