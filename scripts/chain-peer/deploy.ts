// The sandbox's chain: deploys the token and Settlement, mints, pauses and blocks. Its keys are
// made by chance; none of the keys that anvil is known for is used.
import type { Abi, Hex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { encodeDeployData, encodeFunctionData } from 'viem/utils'
import { isRecord, type JsonRpc } from '../../api/payments/chain/json-rpc.ts'
import { readArtifact } from '../../api/payments/chain/terms.ts'

export type { Hex } from 'viem'

const GAS = 8_000_000n
const MAX_FEE = 100_000_000_000n
const MUCH_WEI = '0x56bc75e2d63100000'

export interface SandboxChain {
  chainId: number
  genesisHash: Hex
  token: Hex
  settlement: Hex
  treasury: Hex
  /** Private key of the owner of the token and of Settlement. */
  ownerKey: Hex
  /** A call of the token by its owner: mint, setPaused, setBlocked. */
  callToken(functionName: string, args: readonly unknown[]): Promise<void>
}

/**
 * Deploys on a node that mines on demand, with this sponsor, whom it gives gas money; throws with
 * the node's answer where it refuses.
 */
export async function deploySandbox(
  rpc: JsonRpc,
  {
    chainId,
    sponsor,
    contract: name = 'Settlement',
  }: { chainId: number; sponsor: Hex; contract?: 'Settlement' | 'Settlement-1' },
): Promise<SandboxChain> {
  const ownerKey = generatePrivateKey()
  const owner = privateKeyToAccount(ownerKey)
  const treasury = privateKeyToAccount(generatePrivateKey()).address
  for (const address of [owner.address, sponsor])
    await ask(rpc, 'anvil_setBalance', [address, MUCH_WEI])
  const send = sender(rpc, owner, { chainId, nonce: 0 })
  const usd = readArtifact('UsdToken')
  const token = await send(null, encodeDeployData({ ...usd, args: [owner.address] }))
  const contract = readArtifact(name)
  const args = [token, owner.address, sponsor, treasury]
  const settlement = await send(null, encodeDeployData({ ...contract, args }))
  const genesis = await ask(rpc, 'eth_getBlockByNumber', ['0x0', false])
  return {
    chainId,
    genesisHash: field(genesis, 'hash'),
    token,
    settlement,
    treasury,
    ownerKey,
    async callToken(functionName, args) {
      await send(token, callOf('UsdToken', functionName, args))
    },
  }
}

/** Names another sponsor as the operator of Settlement, where it is another one. */
export async function renewSponsor(
  rpc: JsonRpc,
  named: { chainId: number; ownerKey: Hex; settlement: Hex; sponsor: Hex },
): Promise<void> {
  const { settlement, sponsor } = named
  const operator = await read(rpc, settlement, callOf('Settlement', 'operator', []))
  if (operator.endsWith(sponsor.slice(2).toLowerCase())) return
  await ask(rpc, 'anvil_setBalance', [sponsor, MUCH_WEI])
  await sendAsOwner(rpc, named, {
    to: settlement,
    data: callOf('Settlement', 'setOperator', [sponsor]),
  })
}

/** An address whose key nobody has: tokens can be paid to it. */
export function freshAddress(): Hex {
  return privateKeyToAccount(generatePrivateKey()).address
}

/** Makes tokens out of nothing, as only a sandbox can; final two blocks later. */
export async function mint(
  rpc: JsonRpc,
  named: { chainId: number; ownerKey: Hex; token: Hex; to: Hex; units: bigint },
): Promise<void> {
  const { token, to, units } = named
  await sendAsOwner(rpc, named, { to: token, data: callOf('UsdToken', 'mint', [to, units]) })
  await ask(rpc, 'anvil_mine', ['0x2'])
}

/** A call of the token by its owner, mined: setPaused, setBlocked. */
export function callTokenAsOwner(
  rpc: JsonRpc,
  named: { chainId: number; ownerKey: Hex; token: Hex },
  { functionName, args }: { functionName: string; args: readonly unknown[] },
): Promise<void> {
  return sendAsOwner(rpc, named, { to: named.token, data: callOf('UsdToken', functionName, args) })
}

/** Tokens at the latest block, in token units. */
export async function tokensOf(rpc: JsonRpc, token: Hex, address: Hex): Promise<bigint> {
  return BigInt(await read(rpc, token, callOf('UsdToken', 'balanceOf', [address])))
}

function callOf(
  contract: Parameters<typeof readArtifact>[0],
  functionName: string,
  args: readonly unknown[],
): Hex {
  return encodeFunctionData({ abi: readArtifact(contract).abi as Abi, functionName, args })
}

async function read(rpc: JsonRpc, to: Hex, data: Hex): Promise<string> {
  return String(await ask(rpc, 'eth_call', [{ to, data }, 'latest']))
}

/** The nonce is read from the chain: nobody else sends for the owner. */
async function sendAsOwner(
  rpc: JsonRpc,
  { chainId, ownerKey }: { chainId: number; ownerKey: Hex },
  { to, data }: { to: Hex; data: Hex },
): Promise<void> {
  const owner = privateKeyToAccount(ownerKey)
  const nonce = Number(await ask(rpc, 'eth_getTransactionCount', [owner.address, 'latest']))
  await sender(rpc, owner, { chainId, nonce })(to, data)
}

/** Sends one transaction at a time, mines it, and returns the address it deployed or called. */
function sender(
  rpc: JsonRpc,
  account: PrivateKeyAccount,
  { chainId, nonce: first }: { chainId: number; nonce: number },
) {
  let nonce = first
  return async (to: Hex | null, data: Hex): Promise<Hex> => {
    const fees = { maxFeePerGas: MAX_FEE, maxPriorityFeePerGas: 1n, gas: GAS }
    const bytes = await account.signTransaction({
      ...{ type: 'eip1559', chainId, nonce: nonce++, data, ...fees },
      ...(to !== null && { to }),
    })
    const hash = await ask(rpc, 'eth_sendRawTransaction', [bytes])
    await ask(rpc, 'anvil_mine', ['0x1'])
    const receipt = await ask(rpc, 'eth_getTransactionReceipt', [hash])
    if (field(receipt, 'status') !== '0x1')
      throw new Error('A transaction of the sandbox reverted.')
    return to ?? field(receipt, 'contractAddress')
  }
}

function field(answer: unknown, name: string): Hex {
  const value = isRecord(answer) ? answer[name] : undefined
  if (typeof value !== 'string') throw new Error('The node answers without ' + name + '.')
  return value as Hex
}

async function ask(rpc: JsonRpc, method: string, params: readonly unknown[]): Promise<unknown> {
  const answer = await rpc.call(method, params)
  if (answer.ok) return answer.value
  throw new Error(method + ': ' + JSON.stringify(answer.error))
}
