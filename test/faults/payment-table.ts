// The faults of payments, by their rows. A row without a function of its own is played by tests on
// a real node.
import { killApiUnderPayments } from './api-kills.ts'
import { tested } from './by-test.ts'
import type { Effort, Fault } from './fault.ts'
import { killEngineUnderPayments } from './payment-kills.ts'

const CHAIN = 'test/live/payments/settlement-faults.test.ts'
const EXTREMES = 'test/live/payments/settlement-extremes.test.ts'
const HEADS = 'test/live/payments/settlement-heads.test.ts'
const SILENCE = 'test/live/payments/settlement-silence.test.ts'
const MODEL = 'test/simulation/settlement.test.ts'
const KILLS = 'test/live/payments/settler-kills.test.ts'
const DATABASE = 'test/crash/payments-database.test.ts'
const WITHDRAWALS = 'test/live/payments/withdrawal-faults.test.ts'

const killsOf = ({ kills }: Effort) => ({ SVC_TEST_KILLS: String(kills) })
const runsOf = ({ kills }: Effort) => ({ SVC_TEST_RUNS: String(kills * 20) })
/** One round takes about half a minute. */
const roundsOf = ({ kills }: Effort) => ({ SVC_TEST_ROUNDS: String(Math.ceil(kills / 10)) })
const capturesOf = ({ kills }: Effort) => ({ SVC_TEST_CAPTURES: String(kills * 100) })

export const PAYMENT_FAULTS: readonly Fault[] = [
  {
    ...{ row: 41, asserts: 'ACF', name: 'kill -9 of the api inside money calls' },
    run: killApiUnderPayments,
  },
  {
    ...{ row: 42, asserts: 'ADEF', name: 'kill -9 of the engine under payments beside cards' },
    run: killEngineUnderPayments,
  },
  tested(
    43,
    'ACF',
    'PostgreSQL away, hung, or silent about a commit, in each call of a payment and as it lands',
    [DATABASE],
    roundsOf,
  ),
  tested(
    44,
    'AC',
    'kill -9 of the settler after each of its steps, and a leader that sleeps and wakes',
    [KILLS, WITHDRAWALS],
    killsOf,
  ),
  tested(
    45,
    'A',
    'several settlers, an older database, RPCs that lie, lag, lose or jump between heads, stuck and replaced transactions, reorganizations, foreign nonces, another chain, pauses and blocklists',
    [
      CHAIN,
      EXTREMES,
      HEADS,
      'test/live/payments/settlement.test.ts',
      'test/live/payments/chain.test.ts',
    ],
  ),
  tested(
    46,
    'AFJ',
    'RPCs or signer away, wrong signatures, a replaced finalized block, clocks apart, a tenant with many captures',
    [SILENCE],
    capturesOf,
  ),
  tested(47, 'ACDE', 'seeded settling beside a model of the money', [MODEL], runsOf),
]
