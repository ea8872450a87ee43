// The contract's own check of a holder's assertion, for the api process: it holds no key and sends
// nothing. Where no RPC answers in time the payment is confirmed all the same, for the assertion
// was verified here and the contract checks it again before money moves.
import type { Clock } from '../../../shared/clock.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import { openOutsideCaller } from '../../http/outside-caller.ts'
import { Chain } from './chain.ts'
import type { ChainConfigs } from './chain-config.ts'
import type { Hex } from './hex.ts'
import { createJsonRpc } from './json-rpc.ts'
import type { Approval, Assertion } from './terms.ts'
import type { WithdrawalTerms } from './withdrawal-terms.ts'

/** Milliseconds that a holder waits for the chain. */
const CALL_MS_MAX = 2000
const ANSWER_BYTES_MAX = 64 * 1024

export interface ApprovalCheck {
  /** Null where no RPC answers. */
  isApproved(
    environment: Environment,
    approval: Approval,
    assertion: Assertion,
  ): Promise<boolean | null>
  /** The same of a withdrawal. */
  isReleasable(
    environment: Environment,
    withdrawal: WithdrawalTerms,
    assertion: Assertion,
  ): Promise<boolean | null>
  /** The nonce of an account's next withdrawal; null where no RPC answers. */
  withdrawalNonce(environment: Environment, account: Hex): Promise<number | null>
  close(): Promise<void>
}

export function openApprovalCheck(chains: ChainConfigs, clock: Clock): ApprovalCheck {
  const caller = openOutsideCaller({
    clock,
    callMsMax: CALL_MS_MAX,
    answerBytesMax: ANSWER_BYTES_MAX,
  })
  const chainOf = (environment: Environment): Chain | null => {
    const config = chains[environment]
    if (config === null) return null
    return new Chain(
      config.rpcUrls.map((url) => createJsonRpc(url, caller)),
      config,
    )
  }
  const open = { sandbox: chainOf('sandbox'), live: chainOf('live') }
  return {
    isApproved: async (environment, approval, assertion) =>
      (await open[environment]?.isApproved(approval, assertion)) ?? null,
    isReleasable: async (environment, withdrawal, assertion) =>
      (await open[environment]?.isReleasable(withdrawal, assertion)) ?? null,
    withdrawalNonce: async (environment, account) =>
      (await open[environment]?.withdrawalNonce(account)) ?? null,
    close: () => caller.close(),
  }
}
