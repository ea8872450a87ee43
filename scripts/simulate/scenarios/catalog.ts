// Every scenario, in the order in which `--list` shows and `--scenario all` plays them.
import type { Scenario } from '../scenario.ts'
import { ACCOUNTS } from './accounts.ts'
import { APPROVALS } from './approvals.ts'
import { BILLING } from './billing.ts'
import { BREAKER } from './breaker.ts'
import { BLOCKS, CARD_PRESENT } from './card-present.ts'
import { CARD_TESTING } from './card-testing.ts'
import { CHANGES_WHILE_ASKED } from './changes-while-asked.ts'
import { CLEARING } from './clearing.ts'
import { CLEARING_FILES } from './clearing-files.ts'
import { CONCURRENCY } from './concurrency.ts'
import { DISPUTES } from './disputes.ts'
import { DUPLICATES } from './duplicates.ts'
import { ISO8583 } from './iso8583.ts'
import { JOURNAL } from './journal.ts'
import { LIMITS } from './limits.ts'
import { MERCHANTS } from './merchants.ts'
import { OAUTH } from './oauth.ts'
import { OUT_OF_ORDER } from './out-of-order.ts'
import { OWN_WITHDRAWALS } from './own-withdrawal.ts'
import { PAYMENTS } from './payments.ts'
import { PAYMENTS_ON_CHAIN } from './payments-on-chain.ts'
import { REFUNDS } from './refunds.ts'
import { REFUSED_INPUT } from './refused-input.ts'
import { STATES } from './states.ts'
import { TENANT_ANSWERS } from './tenant-answers.ts'
import { TENANT_LATE } from './tenant-late.ts'
import { TENANT_SILENCE } from './tenant-silence.ts'
import { VERIFICATION } from './verification.ts'
import { WALLET } from './wallet.ts'

export const SCENARIOS: readonly Scenario[] = [
  ...APPROVALS,
  ...STATES,
  ...VERIFICATION,
  ...MERCHANTS,
  ...BLOCKS,
  ...LIMITS,
  ...TENANT_ANSWERS,
  ...TENANT_SILENCE,
  ...TENANT_LATE,
  ...BREAKER,
  ...DUPLICATES,
  ...CONCURRENCY,
  ...CLEARING,
  ...OUT_OF_ORDER,
  ...REFUNDS,
  ...DISPUTES,
  ...CLEARING_FILES,
  ...CARD_PRESENT,
  ...ACCOUNTS,
  ...CARD_TESTING,
  ...CHANGES_WHILE_ASKED,
  ...REFUSED_INPUT,
  ...ISO8583,
  ...JOURNAL,
  ...WALLET,
  ...PAYMENTS,
  ...PAYMENTS_ON_CHAIN,
  ...OWN_WITHDRAWALS,
  ...OAUTH,
  ...BILLING,
]
