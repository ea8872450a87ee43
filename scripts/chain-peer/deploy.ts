// The sandbox's chain: deploys the token and Settlement, mints, pauses and blocks. Its keys are
// made by chance; none of the keys that anvil is known for is used.
import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { isRecord, type JsonRpc } from '../../api/payments/chain/json-rpc.ts'
import { readArtifact } from '../../api/payments/chain/terms.ts'

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
  { chainId, sponsor }: { chainId: number; sponsor: Hex },
): Promise<SandboxChain> {
  const ownerKey = generatePrivateKey()
  const owner = privateKeyToAccount(ownerKey)
  const treasury = privateKeyToAccount(generatePrivateKey()).address
  for (const address of [owner.address, sponsor])
    await ask(rpc, 'anvil_setBalance', [address, MUCH_WEI])
  const send = sender(rpc, owner, { chainId, nonce: 0 })
  const usd = readArtifact('UsdToken')
  const token = await send(null, encodeDeployData({ ...usd, args: [owner.address] }))
  const contract = readArtifact('Settlement')
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
      await send(token, encodeFunctionData({ abi: usd.abi as Abi, functionName, args }))
    },
  }
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
