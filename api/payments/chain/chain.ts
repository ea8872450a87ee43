// The calls of settling to a chain, each with its own rule of whom to believe: a fact that
// moves money needs every RPC that answers, a forecast needs one.
import type { Result } from '../../../shared/result.ts'
import { type AccountState, readAccountStates, readBalances, readPaid } from './account-state.ts'
import {
  type Block,
  blockOf,
  hexNumber,
  hexOf,
  numberOf,
  quantityOf,
  type Receipt,
  receiptOf,
  type Transaction,
  transactionIn,
  transactionOf,
} from './answers.ts'
import { type Hex, wordOf } from './hex.ts'
import { isRecord, type JsonRpc, type RpcFailure } from './json-rpc.ts'
import { searchLogs } from './log-search.ts'
import { askAll, problemOf, type Quorum } from './quorum.ts'
import { type Rehearsal, rehearse } from './rehearsal.ts'
import { isSettlement } from './settlement-code.ts'
import { type Approval, type Assertion, SETTLEMENT_ABI, settledTopic, TOKEN_ABI } from './terms.ts'
import { viem } from './viem.ts'
import type { WithdrawalTerms } from './withdrawal-terms.ts'

export interface ChainPlace {
  chainId: number
  /** Hash of block 0: another chain under the same URL has another one. */
  genesisHash: Hex
  settlement: Hex
  token: Hex
  /** The block that counts as final: the chain's own word, or this many blocks behind the head. */
  finality: 'finalized' | number
  /** Fewer RPCs that answer are silence: 1 in the sandbox, 2 or more in live. */
  least: number
}

const FEE_BLOCKS = 10
const TIP_PERCENTILE = 50
const padded = (digit: string): string => '0x' + digit.padStart(64, '0')
const [FALSE_WORD, TRUE_WORD, SIX_WORD] = [padded('0'), padded('1'), padded('6')]
/** First bytes of a call of `decimals()`. */
const DECIMALS_SELECTOR = '0x313ce567'
/** Answers of nodes to bytes that they have already. */
const KNOWN = /already known|already imported|known transaction|nonce too low/i

export class Chain {
  readonly #rpcs: readonly JsonRpc[]
  readonly place: ChainPlace

  constructor(rpcs: readonly JsonRpc[], place: ChainPlace) {
    this.#rpcs = rpcs
    this.place = place
  }

  /**
   * The reasons not to send anything there: another chain, another genesis, other code at the
   * address of Settlement, another token or another number of decimals, a sponsor that Settlement
   * does not know, no P-256 on the chain, disagreement or silence. Empty: none.
   */
  async problems(sponsor?: Hex): Promise<string[]> {
    const { chainId, genesisHash, settlement, token } = this.place
    const word = (to: Hex, data: Hex) => this.#ask('eth_call', [{ to, data }, 'latest'], hexOf)
    const [id, genesis, code, p256, paid, decimals, operator] = await Promise.all([
      this.#ask('eth_chainId', [], numberOf),
      this.#ask('eth_getBlockByNumber', ['0x0', false], (answer) => blockOf(answer, 0)),
      this.#ask('eth_getCode', [settlement, 'latest'], hexOf),
      word(P256_PRECOMPILE, P256_VECTOR),
      word(settlement, settlementCall('token')),
      word(token, DECIMALS_SELECTOR),
      word(settlement, settlementCall('operator')),
    ])
    const address = (value: Hex, expected: Hex) => value === wordOf(expected)
    return [
      ...problemOf('chain id', id, (value) => value === chainId),
      ...problemOf('genesis', genesis, ({ hash }) => hash === genesisHash),
      ...problemOf('code of Settlement', code, isSettlement),
      ...problemOf('P-256 precompile', p256, (value) => value === TRUE_WORD),
      ...problemOf('token of Settlement', paid, (value) => address(value, token)),
      ...problemOf('decimals of the token', decimals, (value) => value === SIX_WORD),
      ...(sponsor === undefined
        ? []
        : problemOf('sponsor of Settlement', operator, (value) => address(value, sponsor))),
    ]
  }

  /** The finalized block that every RPC which answers has, the lowest of theirs; null: silence. */
  async finalized(): Promise<Block | null> {
    const { finality } = this.place
    if (finality === 'finalized') return this.#lowest('finalized')
    const head = await this.#lowest('latest')
    if (head === null || head.number < finality) return null
    const block = await this.block(head.number - finality)
    return block.kind === 'agreed' ? block.value : null
  }

  /** The head that every RPC which answers has; null: silence. */
  head(): Promise<Block | null> {
    return this.#lowest('latest')
  }

  /** The hash of a block by its number, as every RPC that answers has it. */
  block(number: number): Promise<Quorum<Block>> {
    return this.#ask('eth_getBlockByNumber', [hexNumber(number), false], (answer) =>
      blockOf(answer, number),
    )
  }

  /** The transaction of a block that used a nonce; `none` where the block has none such. */
  transactionIn(
    used: { block: number } & Pick<Transaction, 'from' | 'nonce'>,
  ): Promise<Quorum<Transaction | 'none'>> {
    return this.#ask('eth_getBlockByNumber', [hexNumber(used.block), true], (answer) =>
      transactionIn(answer, used),
    )
  }

  /** A receipt; `none` where every RPC that answers has none. */
  receipt(hash: Hex): Promise<Quorum<Receipt | 'none'>> {
    return this.#ask('eth_getTransactionReceipt', [hash], (answer) =>
      answer === null ? 'none' : receiptOf(answer, hash),
    )
  }

  /** The nonce after a block, by default the latest; pending ones differ between nodes. */
  nonce(address: Hex, block?: number): Promise<Quorum<number>> {
    const at = block === undefined ? 'latest' : hexNumber(block)
    return this.#ask('eth_getTransactionCount', [address, at], numberOf)
  }

  /** True where Settlement has landed a batch, by the latest block. */
  done(batch: Hex): Promise<Quorum<boolean>> {
    const data = settlementCall('done', [batch])
    return this.#ask('eth_call', [{ to: this.place.settlement, data }, 'latest'], (answer) =>
      answer === TRUE_WORD ? true : answer === FALSE_WORD ? false : null,
    )
  }

  /** Transactions after a block that landed a batch, or a withdrawal by another topic. */
  async settledBy(
    id: Hex,
    { topic = settledTopic(), after }: { topic?: Hex; after: number },
  ): Promise<Quorum<readonly Hex[]>> {
    const head = await this.head()
    if (head === null) return { kind: 'silent', failures: [] }
    const { settlement: address, least } = this.place
    return searchLogs(
      { address, topics: [topic, id], after, head: head.number, least },
      (filter, read) => this.#ask('eth_getLogs', [filter], read),
    )
  }

  /** The address of a holder's account, deployed or not. */
  accountOf({ x, y, recovery }: Pick<Approval, 'x' | 'y' | 'recovery'>): Promise<Quorum<Hex>> {
    const data = settlementCall('accountOf', [x, y, recovery])
    return this.#ask('eth_call', [{ to: this.place.settlement, data }, 'latest'], (answer) => {
      const word = hexOf(answer)
      return word === null || word.length !== FALSE_WORD.length
        ? null
        : viem().getAddress(`0x${word.slice(-40)}`)
    })
  }

  /** Token units that Settlement may draw from a payee, by the latest block. */
  async drawable(payee: Hex): Promise<bigint> {
    const ask = (functionName: string, args: readonly Hex[]) => {
      const data = viem().encodeFunctionData({ abi: TOKEN_ABI, functionName, args })
      return this.#ask('eth_call', [{ to: this.place.token, data }, 'latest'], hexOf)
    }
    const [allowed, owned] = await Promise.all([
      ask('allowance', [payee, this.place.settlement]),
      ask('balanceOf', [payee]),
    ])
    if (allowed.kind !== 'agreed' || owned.kind !== 'agreed') return 0n
    const units = [allowed.value, owned.value].map((word) => quantityOf(word) ?? 0n)
    return units.reduce((low, each) => (each < low ? each : low))
  }

  /** A transaction that the RPCs know. */
  transaction(hash: Hex): Promise<Quorum<Transaction>> {
    return this.#ask('eth_getTransactionByHash', [hash], (answer) => transactionOf(answer, hash))
  }

  /** Token units of accounts at a block, in their order. */
  balances(accounts: readonly Hex[], block: number): Promise<Quorum<readonly string[]>> {
    return this.#read(settlementCall('balancesOf', [accounts]), block, (bytes) =>
      readBalances(bytes, accounts.length),
    )
  }

  /** Holders' accounts at a block, in their order. */
  accountStates(accounts: readonly Hex[], block: number): Promise<Quorum<readonly AccountState[]>> {
    return this.#read(settlementCall('standingsOf', [accounts]), block, (bytes) =>
      readAccountStates(bytes, accounts.length),
    )
  }

  /** Token units that payees got by a block, in their order: refunds and fees are taken off. */
  paid(payees: readonly Hex[], block: number): Promise<Quorum<readonly string[]>> {
    return this.#read(settlementCall('paidTo', [payees]), block, (bytes) =>
      readPaid(bytes, payees.length),
    )
  }

  /** The nonce of an account's next withdrawal, by the latest block; null: no RPC answers. */
  async withdrawalNonce(account: Hex): Promise<number | null> {
    const call = { to: this.place.settlement, data: settlementCall('nonceOf', [account]) }
    const answer = await this.#first('eth_call', [call, 'latest'])
    return answer.ok ? numberOf(answer.value) : null
  }

  /** The contract's own check of an assertion over a withdrawal; null: no RPC answers. */
  async isReleasable(withdrawal: WithdrawalTerms, assertion: Assertion): Promise<boolean | null> {
    return this.#isTrue(settlementCall('isReleasable', [withdrawal, assertion]))
  }

  /** The contract's own check of an assertion over an approval; null: no RPC answers. */
  async isApproved(approval: Approval, assertion: Assertion): Promise<boolean | null> {
    return this.#isTrue(settlementCall('isApproved', [approval, assertion]))
  }

  /** Runs the exact call on a node without sending it; a refused call costs no gas. */
  async rehearse(from: Hex, data: Hex): Promise<Rehearsal> {
    return rehearse((method, params) => this.#first(method, params), {
      ...{ from, to: this.place.settlement, data },
    })
  }

  /** Fees for the next transaction, in wei: the median tip of the last blocks, twice the base. */
  async fees(): Promise<{ tip: bigint; max: bigint } | null> {
    const params = [hexNumber(FEE_BLOCKS), 'latest', [TIP_PERCENTILE]]
    const answer = await this.#first('eth_feeHistory', params)
    if (!answer.ok || !isRecord(answer.value)) return null
    const { baseFeePerGas, reward } = answer.value
    if (!Array.isArray(baseFeePerGas) || !Array.isArray(reward)) return null
    const base = quantityOf(baseFeePerGas.at(-1))
    const tips = reward
      .map((each) => quantityOf(Array.isArray(each) ? each[0] : null))
      .filter((each) => each !== null)
      .sort((one, other) => (one < other ? -1 : 1))
    if (base === null || tips.length < reward.length) return null
    const tip = tips[Math.floor(tips.length / 2)] ?? 0n
    return { tip, max: 2n * base + tip }
  }

  /**
   * Sends stored bytes to every RPC. The hosts that have them now; "already known" is success, and
   * so is a nonce that is used, since only the receipt tells by which transaction.
   */
  async send(bytes: Hex): Promise<{ taken: string[]; failures: RpcFailure[] }> {
    const answers = await Promise.all(
      this.#rpcs.map((rpc) => rpc.call('eth_sendRawTransaction', [bytes])),
    )
    const taken: string[] = []
    const failures: RpcFailure[] = []
    for (const [at, answer] of answers.entries()) {
      const known =
        !answer.ok && answer.error.kind === 'refused' && KNOWN.test(answer.error.message)
      if (answer.ok || known) taken.push(this.#rpcs[at]?.host ?? '')
      else failures.push(answer.error)
    }
    return { taken, failures }
  }

  /** A view of Settlement at a block. */
  #read<Value>(
    data: Hex,
    block: number,
    read: (bytes: Hex) => Value | null,
  ): Promise<Quorum<Value>> {
    const call = { to: this.place.settlement, data }
    return this.#ask('eth_call', [call, hexNumber(block)], (answer) => {
      const bytes = hexOf(answer)
      return bytes === null ? null : read(bytes)
    })
  }

  /** A check of Settlement at the latest block; null: no RPC answers. */
  async #isTrue(data: Hex): Promise<boolean | null> {
    const answer = await this.#first('eth_call', [{ to: this.place.settlement, data }, 'latest'])
    if (!answer.ok) return answer.error.kind === 'refused' ? false : null
    return hexOf(answer.value) === TRUE_WORD
  }

  async #lowest(tag: 'latest' | 'finalized'): Promise<Block | null> {
    const answers = await Promise.all(
      this.#rpcs.map((rpc) => rpc.call('eth_getBlockByNumber', [tag, false])),
    )
    const blocks = answers
      .map((answer) => (answer.ok ? blockOf(answer.value) : null))
      .filter((block) => block !== null)
    if (blocks.length < this.place.least) return null
    return blocks.reduce((low, block) => (block.number < low.number ? block : low))
  }

  #ask<Value>(
    method: string,
    params: readonly unknown[],
    read: (answer: unknown) => Value | null,
  ): Promise<Quorum<Value>> {
    return askAll(this.#rpcs, { method, params, read, least: this.place.least })
  }

  /** The first RPC that is reachable, in their order. */
  async #first(method: string, params: readonly unknown[]): Promise<Result<unknown, RpcFailure>> {
    let last: Result<unknown, RpcFailure> | null = null
    for (const rpc of this.#rpcs) {
      last = await rpc.call(method, params)
      if (last.ok || last.error.kind === 'refused') return last
    }
    return last ?? { ok: false, error: { kind: 'unreachable', host: '', reason: 'no RPC' } }
  }
}

function settlementCall(functionName: string, args: readonly unknown[] = []): Hex {
  return viem().encodeFunctionData({ abi: SETTLEMENT_ABI, functionName, args })
}

/** sha256("123400") and a signature of it from the Wycheproof vectors: r, s, x, y. */
const P256_VECTOR: Hex = `0x${[
  'bb5a52f42f9c9261ed4361f59422a1e30036e7c32b270c8807a419feca605023',
  '0000000000000000000000000000000000000000000000000000000000000005',
  '0000000000000000000000000000000000000000000000000000000000000001',
  'a71af64de5126a4a4e02b7922d66ce9415ce88a4c9d25514d91082c8725ac957',
  '5d47723c8fbe580bb369fec9c2665d8e30a435b9932645482e7c9f11e872296b',
].join('')}`
const P256_PRECOMPILE = '0x0000000000000000000000000000000000000100'
