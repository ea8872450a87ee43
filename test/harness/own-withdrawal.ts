// A holder who withdraws on the chain without the service: anybody may send the calls, which the
// holder's passkey signs.
import { type Abi, encodeFunctionData, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { assertionFor, readArtifact } from '../../api/payments/chain/terms.ts'
import { withdrawalHash } from '../../api/payments/chain/withdrawal-terms.ts'
import type { Passkey } from '../../scripts/holder-peer/passkey.ts'
import type { SettlementStand } from './settlement.ts'

const GAS = 2_000_000n
const MAX_FEE = 100_000_000_000n
const MUCH_WEI = '0x56bc75e2d63100000'
const ALL = 2n ** 96n - 1n
const NOBODY: Hex = `0x${'0'.repeat(40)}`

export interface OwnHolder {
  address: Hex
  passkey: Passkey
}

/** Deploys the account where it is not, and asks for everything: it leaves after nine days. */
export async function requestAll(at: SettlementStand, holder: OwnHolder, home: Hex): Promise<void> {
  const { x, y } = holder.passkey
  await callAs(at, at.config.settlement, callOf('Settlement', 'open', [x, y, NOBODY]))
  const nonce = await at.line.chain.withdrawalNonce(holder.address)
  if (nonce === null) throw new Error('the chain is silent')
  const { chainId } = at.config
  const challenge = withdrawalHash({
    ...{ account: holder.address, chainId, nonce, amount: ALL as never, to: home },
  })
  const assertion = assertionFor(holder.passkey.sign(challenge))
  const data = callOf('HolderAccount', 'requestWithdrawal', [ALL, home, assertion])
  await callAs(at, holder.address, data)
}

/** Takes out what was asked for. */
export async function withdrawOwn(at: SettlementStand, { address }: OwnHolder): Promise<void> {
  await callAs(at, address, callOf('HolderAccount', 'withdraw', []))
}

function callOf(
  contract: Parameters<typeof readArtifact>[0],
  functionName: string,
  args: readonly unknown[],
): Hex {
  return encodeFunctionData({ abi: readArtifact(contract).abi as Abi, functionName, args })
}

/** Sends and mines a transaction of a stranger. Throws where it reverts. */
async function callAs({ ask, mine, config }: SettlementStand, to: Hex, data: Hex): Promise<void> {
  const stranger = privateKeyToAccount(generatePrivateKey())
  await ask('anvil_setBalance', [stranger.address, MUCH_WEI])
  const fees = { maxFeePerGas: MAX_FEE, maxPriorityFeePerGas: 1n, gas: GAS }
  const { chainId } = config
  const bytes = await stranger.signTransaction({
    ...{ type: 'eip1559', chainId, nonce: 0, to, data, ...fees },
  })
  const hash = await ask('eth_sendRawTransaction', [bytes])
  await mine(1)
  const receipt = (await ask('eth_getTransactionReceipt', [hash])) as { status: string }
  if (receipt.status !== '0x1') throw new Error('a call of the holder reverted')
}
