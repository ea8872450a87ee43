import { test } from 'tap'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { decodeFunctionResult, encodeFunctionData, keccak256, stringToHex } from 'viem/utils'
import { openOutsideCaller } from '../../../api/http/outside-caller.ts'
import { Chain, type ChainPlace } from '../../../api/payments/chain/chain.ts'
import { holderAddress } from '../../../api/payments/chain/holder-account.ts'
import { createJsonRpc } from '../../../api/payments/chain/json-rpc.ts'
import { localSigner, readTransaction } from '../../../api/payments/chain/signer.ts'
import {
  type Approval,
  approvalHash,
  assertionFor,
  type Batch,
  encodeSettle,
  readOutcome,
  SETTLEMENT_ABI,
} from '../../../api/payments/chain/terms.ts'
import { hasAnvil, startAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { deploySandbox } from '../../../scripts/chain-peer/deploy.ts'
import { createPasskey, type Passkey } from '../../../scripts/holder-peer/passkey.ts'
import { systemClock } from '../../../shared/clock.ts'
import { centsOfUnits, unitsOfCents } from '../../../shared/token-units.ts'
import { startRpcFake } from '../../fakes/rpc.ts'
import { freePorts } from '../../harness/free-ports.ts'

const CHAIN_ID = 31_337
const SHOP: Hex = '0x000000000000000000000000000000000000beef'
const NOBODY: Hex = '0x0000000000000000000000000000000000000000'
const VALID_UNTIL = 4_000_000_000n

async function stand() {
  const [port = 0] = await freePorts(1)
  const anvil = await startAnvil({ port, chainId: CHAIN_ID })
  const caller = openOutsideCaller({
    clock: systemClock,
    callMsMax: 10_000,
    answerBytesMax: 16_000_000,
  })
  const rpc = createJsonRpc(anvil.url, caller)
  const sponsorKey = generatePrivateKey()
  const sponsor = privateKeyToAccount(sponsorKey).address
  const sandbox = await deploySandbox(rpc, { chainId: CHAIN_ID, sponsor })
  const { settlement, token, genesisHash } = sandbox
  const place: ChainPlace = {
    ...{ chainId: CHAIN_ID, genesisHash, settlement, token, finality: 'finalized', least: 1 },
  }
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const answer = await rpc.call(method, params)
    if (!answer.ok) throw new Error(JSON.stringify(answer.error))
    return answer.value
  }
  return {
    anvil, caller, rpc, sandbox, place, ask,
    chain: new Chain([rpc], place),
    signer: localSigner(sponsorKey, { chainId: CHAIN_ID, settlement }),
    mine: (blocks: number) => ask('anvil_mine', ['0x' + blocks.toString(16)]),
    async close() {
      await caller.close()
      await anvil.stop()
    },
  } // biome-ignore format: the parts of a stand in one list
}

type Stand = Awaited<ReturnType<typeof stand>>

function approvalOf(passkey: Passkey, cents: number, name: string): Approval {
  return {
    x: passkey.x,
    y: passkey.y,
    recovery: NOBODY,
    payee: SHOP,
    limit: unitsOfCents(cents),
    validUntil: VALID_UNTIL,
    salt: keccak256(stringToHex(name)),
  }
}

async function accountOf({ ask, place }: Stand, { x, y, recovery }: Approval): Promise<Hex> {
  const call = { abi: SETTLEMENT_ABI, functionName: 'accountOf' } as const
  const data = encodeFunctionData({ ...call, args: [x, y, recovery] })
  const answer = (await ask('eth_call', [{ to: place.settlement, data }, 'latest'])) as Hex
  return decodeFunctionResult({ ...call, data: answer }) as Hex
}

function batchOf(at: Stand, name: string, payers: readonly [Passkey, Approval, number][]): Batch {
  return {
    id: keccak256(stringToHex(name)),
    payee: SHOP,
    captures: payers.map(([passkey, approval, cents], each) => {
      const signed = passkey.sign(approvalHash(at.place, approval), { typeFirst: each % 2 === 0 })
      const assertion = assertionFor(signed)
      if (assertion === null) throw new Error('no assertion')
      return { approval, index: 0, amount: unitsOfCents(cents), assertion }
    }),
    refunds: [],
    feeBps: 100,
  }
}

/** Rehearses, signs and sends; the hash and the bytes. */
async function send({ chain, signer, place }: Stand, batch: Batch, tip?: bigint) {
  const data = encodeSettle(batch)
  const rehearsal = await chain.rehearse(signer.address, data)
  if (rehearsal.kind !== 'passed') throw new Error(JSON.stringify(rehearsal))
  const [nonce, fees] = [await chain.nonce(signer.address), await chain.fees()]
  if (nonce.kind !== 'agreed' || fees === null) throw new Error('silent')
  const { bytes } = await signer.signTransaction({
    chainId: place.chainId,
    nonce: nonce.value,
    to: place.settlement,
    data,
    gas: rehearsal.gas,
    maxFeePerGas: fees.max,
    maxPriorityFeePerGas: tip ?? fees.tip,
  })
  const sent = await chain.send(bytes)
  return { bytes, hash: keccak256(bytes), sent }
}

async function settled(at: Stand, hash: Hex, batch: Batch) {
  const receipt = await at.chain.receipt(hash)
  if (receipt.kind !== 'agreed' || receipt.value === 'none') throw new Error(receipt.kind)
  return {
    receipt: receipt.value,
    outcome: readOutcome(receipt.value.logs, batch.id, at.place.settlement),
  }
}

test('a chain', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const at = await stand()
  t.teardown(() => at.close())
  const passkeys = Array.from({ length: 8 }, () => createPasskey())
  const [first] = passkeys as [Passkey]

  await t.test('its identity is checked before anything is sent', async (t) => {
    t.same(await at.chain.problems(at.signer.address), [])
    t.same(await at.chain.problems(SHOP), ['sponsor of Settlement: not the configured one'])
    const wrong = { ...at.place, chainId: 1, genesisHash: SHOP, settlement: at.sandbox.token }
    t.same(await new Chain([at.rpc], wrong).problems(), [
      'chain id: not the configured one',
      'genesis: not the configured one',
      'code of Settlement: not the configured one',
      'token of Settlement: no RPC answers',
    ])
    t.same(await new Chain([at.rpc], { ...at.place, token: at.place.settlement }).problems(), [
      'token of Settlement: not the configured one',
      'decimals of the token: no RPC answers',
    ])
    const alone = await new Chain([at.rpc], { ...at.place, least: 2 }).problems()
    t.match(alone, ['chain id: no RPC answers'])
  })

  await t.test('the digest of an approval is that of the contract', async (t) => {
    const approval = approvalOf(first, 100, 'digest')
    const call = { abi: SETTLEMENT_ABI, functionName: 'approvalHash' } as const
    const data = encodeFunctionData({ ...call, args: [approval] })
    const answer = (await at.ask('eth_call', [{ to: at.place.settlement, data }, 'latest'])) as Hex
    t.equal(approvalHash(at.place, approval), answer)
  })

  await t.test('a batch of eight passkeys lands and the balances move', async (t) => {
    const payers = passkeys.map((passkey, each): [Passkey, Approval, number] => [
      passkey,
      approvalOf(passkey, 1000, 'batch ' + each),
      250,
    ])
    const accounts = await Promise.all(payers.map(([, approval]) => accountOf(at, approval)))
    t.same(
      payers.map(([, approval]) => holderAddress(at.place.settlement, approval).toLowerCase()),
      accounts.map((account) => account.toLowerCase()),
      'the address is computed as the contract computes it',
    )
    for (const account of accounts)
      await at.sandbox.callToken('mint', [account, unitsOfCents(1000)])
    const batch = batchOf(at, 'eight', payers)
    const { hash, sent, bytes } = await send(at, batch)
    t.equal(sent.taken.length, 1)
    t.same(await at.chain.receipt(hash), { kind: 'agreed', value: 'none', answers: 1 })
    t.equal((await at.chain.send(bytes)).taken.length, 1, 'the same bytes again are no failure')
    t.equal(readTransaction(bytes).to, at.place.settlement.toLowerCase())
    await at.mine(1)
    const { receipt, outcome } = await settled(at, hash, batch)
    t.equal(receipt.status, 'success')
    t.equal(outcome?.captured.length, 8)
    t.equal(centsOfUnits(outcome?.gross ?? 0n), 2000)
    t.equal(centsOfUnits(outcome?.fee ?? 0n), 20)
    const all = [...accounts, SHOP, at.sandbox.treasury, at.place.settlement]
    const before = await at.chain.balances(all, receipt.block.number - 1)
    const after = await at.chain.balances(all, receipt.block.number)
    if (before.kind !== 'agreed' || after.kind !== 'agreed') throw new Error('silent')
    const cents = (units: readonly string[]): number[] =>
      units.map((each) => centsOfUnits(BigInt(each)))
    t.same(cents(before.value), [...accounts.map(() => 1000), 0, 0, 0])
    t.same(cents(after.value), [...accounts.map(() => 750), 1980, 20, 0])
    t.equal((await at.chain.send(bytes)).taken.length, 1, 'nor after it landed')

    t.same(await at.chain.done(batch.id), { kind: 'agreed', value: true, answers: 1 })
    const { number } = receipt.block
    const landed = { kind: 'agreed', value: [hash], answers: 1 }
    t.same(await at.chain.settledBy(batch.id, { after: number - 1 }), landed)
    t.match(await at.chain.settledBy(batch.id, { after: number }), { kind: 'silent' })
    t.match(await at.chain.settledBy(SHOP, { after: -1 }), { kind: 'silent' })
    const { address: from } = at.signer
    const used = await at.chain.transaction(hash)
    if (used.kind !== 'agreed') throw new Error('silent')
    const { nonce } = used.value
    t.same(await at.chain.transactionIn({ block: number, from, nonce }), used)
    const next = await at.chain.transactionIn({ block: number, from, nonce: nonce + 1 })
    t.same(next, { kind: 'agreed', value: 'none', answers: 1 })
    const finalized = await at.chain.finalized()
    t.ok((finalized?.number ?? 0) < receipt.block.number, 'not final yet')
    const behind = new Chain([at.rpc], { ...at.place, finality: 1 })
    t.equal((await behind.finalized())?.number, receipt.block.number - 1, 'a number of blocks')
    await at.mine(2)
    t.ok(((await at.chain.finalized())?.number ?? 0) >= receipt.block.number, 'final')
    const same = await at.chain.block(receipt.block.number)
    t.same(same.kind === 'agreed' && same.value.hash, receipt.block.hash)
    t.match(await at.chain.rehearse(at.signer.address, encodeSettle(batch)), {
      kind: 'refused',
      reason: 'AlreadySettled',
    })
  })

  await t.test('a paused token refuses the rehearsal with its reason', async (t) => {
    const batch = batchOf(at, 'paused', [[first, approvalOf(first, 100, 'paused'), 100]])
    await at.sandbox.callToken('setPaused', [true])
    t.same(await at.chain.rehearse(at.signer.address, encodeSettle(batch)), {
      kind: 'refused',
      reason: 'NothingLanded: transfer_failed',
    })
    await at.sandbox.callToken('setPaused', [false])
  })

  await t.test('a shop that the token blocks refuses the rehearsal with its reason', async (t) => {
    const batch = batchOf(at, 'no shop', [[first, approvalOf(first, 100, 'no shop'), 100]])
    await at.sandbox.callToken('setBlocked', [SHOP, true])
    t.same(await at.chain.rehearse(at.signer.address, encodeSettle(batch)), {
      kind: 'refused',
      reason: 'Blocked: transfer_failed',
    })
    await at.sandbox.callToken('setBlocked', [SHOP, false])
  })

  await t.test('a token paused between rehearsal and block is a mined revert', async (t) => {
    const batch = batchOf(at, 'late pause', [[first, approvalOf(first, 100, 'late pause'), 100]])
    // The pause pays a tip, so that it stands first in the block.
    const { hash } = await send(at, batch, 0n)
    await at.sandbox.callToken('setPaused', [true])
    const { receipt, outcome } = await settled(at, hash, batch)
    t.equal(receipt.status, 'reverted')
    t.equal(outcome, null)
    await at.sandbox.callToken('setPaused', [false])
    const again = await send(at, batch)
    await at.mine(1)
    t.equal((await settled(at, again.hash, batch)).outcome?.captured.length, 1, 'a retry pays once')
  })

  await t.test('a blocked account fails alone', async (t) => {
    const [one, other] = passkeys.slice(1, 3) as [Passkey, Passkey]
    const [blocked, free] = [approvalOf(one, 100, 'blocked'), approvalOf(other, 100, 'free')]
    await at.sandbox.callToken('setBlocked', [await accountOf(at, blocked), true])
    const batch = batchOf(at, 'one blocked', [[one, blocked, 100], [other, free, 100]]) // biome-ignore format: pairs
    const { hash } = await send(at, batch)
    await at.mine(1)
    const { outcome } = await settled(at, hash, batch)
    t.same(outcome?.failed, [
      { approval: approvalHash(at.place, blocked), index: 0, reason: 'transfer_failed' },
    ])
    t.equal(outcome?.captured.length, 1)
  })

  await t.test(
    'a reorganization takes the receipt away, and the stored bytes bring it back',
    async (t) => {
      const batch = batchOf(at, 'reorg', [[first, approvalOf(first, 100, 'reorg'), 100]])
      const { hash, bytes } = await send(at, batch)
      await at.mine(1)
      const { receipt } = await settled(at, hash, batch)
      await at.ask('anvil_reorg', [1, []])
      t.same(await at.chain.receipt(hash), { kind: 'agreed', value: 'none', answers: 1 })
      const block = await at.chain.block(receipt.block.number)
      t.not(block.kind === 'agreed' && block.value.hash, receipt.block.hash)
      t.equal((await at.chain.send(bytes)).taken.length, 1)
      await at.mine(1)
      t.equal((await settled(at, hash, batch)).outcome?.captured.length, 1)
    },
  )

  await t.test('an RPC that lies, lags or loses stops no truth and adds none', async (t) => {
    const fake = await startRpcFake(at.anvil.url)
    t.teardown(() => fake.close())
    const place: ChainPlace = { ...at.place, least: 2 }
    const chain = new Chain([at.rpc, createJsonRpc(fake.url, at.caller)], place)
    const batch = batchOf(at, 'lie', [[first, approvalOf(first, 100, 'lie'), 100]])
    const { hash } = await send(at, batch)
    await at.mine(1)
    t.match(await chain.receipt(hash), { kind: 'agreed', answers: 2 })
    const receipt = (change: (result: { [name: string]: unknown }) => unknown) => {
      fake.change = (method, result) =>
        method === 'eth_getTransactionReceipt'
          ? change(result as { [name: string]: unknown })
          : undefined
      return chain.receipt(hash)
    }
    t.match(await receipt(() => null), { kind: 'disagreed' }, 'hidden')
    t.match(await receipt((found) => ({ ...found, status: '0x0' })), { kind: 'disagreed' })
    t.match(await receipt((found) => ({ ...found, logs: [] })), { kind: 'disagreed' })
    t.match(await receipt(() => 'lost'), { kind: 'silent' })
    t.match(await receipt(() => ({ blockNumber: 7 })), { kind: 'silent' }, 'no receipt at all')
    fake.change = (method, result) =>
      method === 'eth_getBlockByNumber' ? { ...(result as object), number: '0x1' } : undefined
    t.equal((await chain.finalized())?.number, 1, 'the lower head counts')
    fake.change = () => 'lost'
    t.equal(await chain.finalized(), null)
  })

  await t.test('the signer signs batches and cancellations, nothing else', async (t) => {
    const { address } = at.signer
    const fees = { nonce: 9, gas: 21_000n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n }
    const sign = (chainId: number, to: Hex, data: Hex) =>
      at.signer.signTransaction({ ...fees, chainId, to, data })
    const cancel = await sign(CHAIN_ID, address, '0x')
    t.same(readTransaction(cancel.bytes), {
      ...{ nonce: 9, to: address.toLowerCase(), data: '0x', gas: 21_000n },
    })
    await t.rejects(sign(1, address, '0x'), /another chain/)
    await t.rejects(sign(CHAIN_ID, address, '0x00'), /data in a cancellation/)
    await t.rejects(sign(CHAIN_ID, SHOP, '0x'), /another recipient/)
    await t.rejects(sign(CHAIN_ID, at.place.settlement, '0xb3ab15fb'), /another call/)
    const allowed = { chainId: CHAIN_ID, settlement: at.place.settlement }
    const beyond = '0x' + 'f'.repeat(64)
    for (const key of ['', 'canary', beyond])
      t.throws(() => localSigner(key, allowed), { message: /^The key of the sponsor is not[^f]*$/ })
  })
})
