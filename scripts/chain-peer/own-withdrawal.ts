// A holder who withdraws on the chain without the service: anybody may send the calls, which the
// holder's passkey signs.
import type { Abi, Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { encodeFunctionData } from 'viem/utils'
import { assertionFor, readArtifact } from '../../api/payments/chain/terms.ts'
import { sleep } from '../../shared/clock.ts'
import type { Passkey } from '../holder-peer/passkey.ts'

const GAS = 2_000_000n
const MAX_FEE = 100_000_000_000n
const MUCH_WEI = '0x56bc75e2d63100000'
const ALL = 2n ** 96n - 1n
const NOBODY: Hex = `0x${'0'.repeat(40)}`
/** Chosen: the miner of the sandbox makes a block a second. */
const MINED_MS_MAX = 20_000
const LOOK_AGAIN_MS = 100

/** A node whose chain has Settlement. */
export interface HolderChain {
  config: { chainId: number; settlement: Hex }
  /** Rejects where the node refuses. */
  ask(method: string, params: readonly unknown[]): Promise<unknown>
  /** Mines, on a node that mines only when told to. */
  mine(blocks: number): Promise<unknown>
}

export interface OwnHolder {
  address: Hex
  passkey: Pick<Passkey, 'x' | 'y' | 'sign'>
}

/** Deploys the account where it is not, and asks for everything: it leaves after nine days. */
export async function requestAll(at: HolderChain, holder: OwnHolder, home: Hex): Promise<void> {
  const { x, y } = holder.passkey
  await callAs(at, at.config.settlement, callOf('Settlement', 'open', [x, y, NOBODY]))
  const assertion = await signed(at, holder, callOf('HolderAccount', 'withdrawalHash', [ALL, home]))
  const data = callOf('HolderAccount', 'requestWithdrawal', [ALL, home, assertion])
  await callAs(at, holder.address, data)
}

/** Takes back what was asked for. */
export async function cancelRequest(at: HolderChain, holder: OwnHolder): Promise<void> {
  const assertion = await signed(at, holder, callOf('HolderAccount', 'cancellationHash', []))
  await callAs(at, holder.address, callOf('HolderAccount', 'cancelWithdrawal', [assertion]))
}

/** Takes out what was asked for. Rejects before the nine days have passed. */
export async function withdrawOwn(at: HolderChain, { address }: OwnHolder): Promise<void> {
  await callAs(at, address, callOf('HolderAccount', 'withdraw', []))
}

/** The holder's assertion over the digest that a view of the account tells. */
async function signed({ ask }: HolderChain, { address, passkey }: OwnHolder, view: Hex) {
  const digest = await ask('eth_call', [{ to: address, data: view }, 'latest'])
  return assertionFor(passkey.sign(String(digest) as Hex))
}

function callOf(
  contract: Parameters<typeof readArtifact>[0],
  functionName: string,
  args: readonly unknown[],
): Hex {
  return encodeFunctionData({ abi: readArtifact(contract).abi as Abi, functionName, args })
}

/** Sends a transaction of a stranger, and waits for its block. Rejects where it reverts. */
async function callAs({ ask, mine, config }: HolderChain, to: Hex, data: Hex): Promise<void> {
  const stranger = privateKeyToAccount(generatePrivateKey())
  await ask('anvil_setBalance', [stranger.address, MUCH_WEI])
  const fees = { maxFeePerGas: MAX_FEE, maxPriorityFeePerGas: 1n, gas: GAS }
  const { chainId } = config
  const bytes = await stranger.signTransaction({
    ...{ type: 'eip1559', chainId, nonce: 0, to, data, ...fees },
  })
  const hash = await ask('eth_sendRawTransaction', [bytes])
  await mine(1)
  for (let waitedMs = 0; waitedMs <= MINED_MS_MAX; waitedMs += LOOK_AGAIN_MS) {
    const receipt = (await ask('eth_getTransactionReceipt', [hash])) as { status: string } | null
    if (receipt?.status === '0x1') return
    if (receipt !== null) throw new Error('a call of the holder reverted')
    await sleep(LOOK_AGAIN_MS)
  }
  throw new Error('no block took a call of the holder')
}
