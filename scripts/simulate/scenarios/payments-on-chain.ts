// Payments and withdrawals while the chain does its worst: blocked addresses, a paused token,
// replaced blocks. Each puts the chain back as it was.
import { sleep } from '../../../shared/clock.ts'
import { freshAddress } from '../../chain-peer/fresh-address.ts'
import { matching } from '../differences.ts'
import { type ChainRpc, openChainRpc, type PoolTransaction } from '../payments/chain-rpc.ts'
import { Payer, posted } from '../payments/payer.ts'
import { payerStory } from '../payments/payer-story.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'

const CENTS = 800
const WITHDRAWN_CENTS = 2500
const TRIES_MAX = 5
/** The next base fee, as a multiple of what the transaction offers. */
const LEAP = 3
/** Three blocks of a second each pass before the fee rises. */
const REPLACED_MS_MAX = 60_000
const HOLD_MS = 100

export const PAYMENTS_ON_CHAIN: readonly Scenario[] = [
  payerStory(
    'payment_of_a_blocked_account',
    'An account that the token’s issuer blocks fails alone; another payer’s capture lands.',
    async (payer, stage) => {
      const other = await Payer.open(stage)
      if (other === null) return
      const [bad, good] = [await payer.confirmed(CENTS), await other.confirmed(CENTS)]
      stage.afterwards(() => payer.block(false))
      await payer.block(true)
      await Promise.all([payer.capture(bad, CENTS), other.capture(good, CENTS)])
      const failed = await payer.reaches(bad, 'failed')
      stage.check('payment', { captures: [{ status: 'failed' }] }, failed)
      await other.reaches(good, 'captured')
    },
  ),
  payerStory(
    'payment_to_a_blocked_shop',
    'A shop that the token’s issuer blocks: the batch fails before any gas is spent.',
    async (payer, stage) => {
      const path = '/v1/simulate/settlement_accounts/' + payer.shopId + '/'
      const id = await payer.confirmed(CENTS)
      stage.afterwards(async () => void (await posted(stage, path + 'unblock', null)))
      await posted(stage, path + 'block', null)
      await payer.capture(id, CENTS)
      await showsFailedBatch(payer, stage, await payer.reaches(id, 'failed'))
    },
  ),
  payerStory(
    'payment_while_the_token_pauses',
    'A paused token fails the batch after a while; what comes later lands again.',
    async (payer, stage) => {
      const chain = openChainRpc(stage)
      const [id, later] = [await payer.confirmed(CENTS), await payer.confirmed(CENTS)]
      let paused = true
      const go = async (): Promise<void> => {
        if (paused) await chain.pause(false)
        paused = false
      }
      await chain.pause(true)
      stage.afterwards(go)
      await payer.capture(id, CENTS)
      await showsFailedBatch(payer, stage, await payer.reaches(id, 'failed'))
      await go()
      await payer.capture(later, CENTS)
      await payer.reaches(later, 'captured')
    },
  ),
  payerStory(
    'withdrawal_of_a_holder',
    'A holder withdraws: what is held stays, what was approved reaches the address once.',
    async (payer, stage) => {
      const chain = openChainRpc(stage)
      const home = freshAddress()
      const held = await payer.confirmed(CENTS)
      await payer.next('deny')
      const denied = await payer.withdraw(WITHDRAWN_CENTS, home)
      await payer.withdrawalReaches(String(denied['id']), 'canceled')
      await payer.next('approve')
      const { id } = await payer.withdraw(WITHDRAWN_CENTS, home)
      const done = await payer.withdrawalReaches(String(id), 'completed')
      stage.check('withdrawal', { transaction_hash: matching(/^0x[0-9a-f]{64}$/) }, done)
      stage.check('address', { cents: WITHDRAWN_CENTS }, { cents: await chain.centsOf(home) })
      await payer.capture(held, CENTS)
      await payer.reaches(held, 'captured')
    },
  ),
  payerStory(
    'payment_with_a_stuck_fee',
    'The base fee leaps above what was offered: the same call replaces it at a higher fee, and lands once.',
    async (payer, stage) => {
      const chain = openChainRpc(stage)
      const stuck = await stuckPayment(payer, stage, chain)
      if (stuck === null) return stage.note('every block was faster than the base fee')
      const { id, transaction: first } = stuck
      let replaced = first
      for (let waitedMs = 0; waitedMs < REPLACED_MS_MAX; waitedMs += HOLD_MS) {
        await chain.setBaseFee(stuck.dearWei)
        replaced = (await chain.pending(first)) ?? first
        if (replaced.hash !== first.hash) break
        await sleep(HOLD_MS)
      }
      stage.check('stuck', { included: null }, { included: (await chain.mined(first)) ?? null })
      stage.check('pool', { data: first.input, nonce: first.nonce }, described(replaced))
      await chain.setBaseFee(stuck.baseWei)
      const landed = await payer.reaches(id, 'captured')
      stage.check('payment', { captured_cents: CENTS }, landed)
      const { transaction_hash: hash } = await payer.batchOf(landed)
      stage.check('batch', { replaced: true }, { replaced: hash !== first.hash })
      stage.say('stuck ' + first.hash + ' at ' + Number(first.maxFeePerGas) + ' wei')
      stage.say('landed ' + hash)
      await payer.told(id, ['authorized', 'needs_confirmation', 'confirmed', 'captured'])
    },
  ),
  payerStory(
    'payment_in_a_replaced_block',
    'The block of a capture is replaced before it is final: the same bytes land again, once.',
    async (payer, stage) => {
      const replaced = await replacedPayment(payer, openChainRpc(stage))
      if (replaced === null) return stage.note('every block was final before it could be replaced')
      const { id, hash } = replaced
      const landed = await payer.reaches(id, 'captured')
      stage.check('payment', { captured_cents: CENTS }, landed)
      stage.check('batch', { transaction_hash: hash }, await payer.batchOf(landed))
      await payer.told(id, ['authorized', 'needs_confirmation', 'confirmed', 'captured'])
    },
  ),
]

interface StuckPayment {
  id: string
  transaction: PoolTransaction
  /** The base fee before, and the one under which the transaction is in no block. */
  baseWei: number
  dearWei: number
}

/**
 * A payment whose transaction offers less than the base fee of the next block; null where a block
 * took each of them before the fee rose.
 */
async function stuckPayment(
  payer: Payer,
  stage: Stage,
  chain: ChainRpc,
): Promise<StuckPayment | null> {
  for (let time = 0; time < TRIES_MAX; time++) {
    const id = await payer.confirmed(CENTS)
    const baseWei = await chain.baseFee()
    await payer.capture(id, CENTS)
    const sent = await payer.until(
      () => payer.payment(id),
      ({ captures }) => !['', 'pending'].includes(statusIn(captures)),
    )
    const { transaction_hash: hash } = await payer.batchOf(sent)
    const transaction = await chain.transaction(String(hash))
    const dearWei = LEAP * Number(transaction?.maxFeePerGas ?? 0)
    stage.afterwards(() => chain.setBaseFee(baseWei))
    if (transaction !== null) await chain.setBaseFee(dearWei)
    if (transaction !== null && (await chain.mined(transaction)) === null)
      return { id, transaction, baseWei, dearWei }
    await chain.setBaseFee(baseWei)
    await payer.reaches(id, 'captured')
  }
  return null
}

/**
 * A payment of which the block was taken back before it was final, and its transaction with it;
 * null where each block was final too soon.
 */
async function replacedPayment(
  payer: Payer,
  chain: ChainRpc,
): Promise<{ id: string; hash: string } | null> {
  for (let time = 0; time < TRIES_MAX; time++) {
    const id = await payer.confirmed(CENTS)
    await payer.capture(id, CENTS)
    const included = await payer.until(
      () => payer.payment(id),
      ({ captures }) => ['included', 'landed', 'failed'].includes(statusIn(captures)),
    )
    const hash = String((await payer.batchOf(included))['transaction_hash'])
    if (await chain.takeBack(hash)) return { id, hash }
    await payer.reaches(id, 'captured')
  }
  return null
}

function described({ input, nonce }: PoolTransaction) {
  return { data: input, nonce }
}

async function showsFailedBatch(
  payer: Payer,
  stage: Stage,
  payment: Parameters<Payer['batchOf']>[0],
): Promise<void> {
  const batch = await payer.batchOf(payment)
  stage.check(
    'batch',
    { status: 'failed', transaction_hash: null, review: { status: 'open' } },
    batch,
  )
}

function statusIn(captures: unknown): string {
  return Array.isArray(captures) ? String(captures[0]?.status) : ''
}
