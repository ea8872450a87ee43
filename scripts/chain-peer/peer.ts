// Runs anvil with its state on disk, deploys once, and mines only while something is pending or not
// final: an idle block makes the file of the state grow, which is written whole each time.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { openOutsideCaller } from '../../api/http/outside-caller.ts'
import { hexOf } from '../../api/payments/chain/answers.ts'
import { createJsonRpc, isRecord, type JsonRpc } from '../../api/payments/chain/json-rpc.ts'
import { isSettlement } from '../../api/payments/chain/settlement-code.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { writePrivateFile } from '../start/sandbox-secrets.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { CHAIN_FILE, type ChainPeerConfig, OWNER_FILE } from './config.ts'
import { deploySandbox, renewSponsor } from './deploy.ts'

const CHAIN_ID = 31_337
const BLOCK_MS = 1000
/** Before the node is started again. */
const RESTART_MS = 500
/** Blocks after the last transaction until it is final. */
const FINAL_BLOCKS = 3
const CALL_MS_MAX = 10_000
const ANSWER_BYTES_MAX = 16_000_000
const MAX_FEE_GWEI = 100
const STATE_FILE = 'state.json'

/**
 * Resolves when the contracts stand; rejects where state and contracts do not belong together.
 * `close` resolves when the node has written its state and ended.
 */
export async function startChainPeer(
  { port, sponsor, directory }: ChainPeerConfig,
  log: Logger,
): Promise<{ url: string; close(): Promise<void> }> {
  const stateFile = join(directory, STATE_FILE)
  const chainFile = join(directory, CHAIN_FILE)
  const launch = async (): Promise<Anvil> => {
    if (existsSync(chainFile) && !existsSync(stateFile))
      throw new Error(stateFile + ' is gone: delete ' + directory + ' to begin another chain')
    return startAnvil({ port, chainId: CHAIN_ID, stateFile })
  }
  const anvil = await launch()
  const bounds = { callMsMax: CALL_MS_MAX, answerBytesMax: ANSWER_BYTES_MAX }
  const rpc = createJsonRpc(anvil.url, openOutsideCaller({ clock: systemClock, ...bounds }))
  if (existsSync(chainFile)) await renew(rpc, { sponsor, directory, log })
  else await deploy(rpc, { sponsor, directory })
  // The address of the node is the only part that changes with a start.
  const chain = JSON.parse(readFileSync(chainFile, 'utf8'))
  writePrivateFile(chainFile, text({ ...chain, rpc_urls: [anvil.url] }))
  const close = keepRunning(anvil, launch, log)
  void mineWhileBusy(rpc, log)
  return { url: anvil.url, close }
}

/**
 * Starts the node again whenever it ends, on the same port with the state on disk. The returned
 * function ends both.
 */
function keepRunning(first: Anvil, launch: () => Promise<Anvil>, log: Logger): () => Promise<void> {
  let anvil: Anvil | null = first
  let isClosed = false
  const run = async (): Promise<void> => {
    for (;;) {
      await anvil?.exited
      if (isClosed) return
      if (anvil !== null) log.error('anvil ended, starting it again')
      await sleep(RESTART_MS)
      anvil = await launch().catch((error: unknown) => {
        log.error({ err: error }, 'anvil cannot start')
        return null
      })
      if (isClosed) await anvil?.stop()
    }
  }
  void run()
  return async () => {
    isClosed = true
    await anvil?.stop()
  }
}

async function deploy(
  rpc: JsonRpc,
  { sponsor, directory }: { sponsor: Hex; directory: string },
): Promise<void> {
  const sandbox = await deploySandbox(rpc, { chainId: CHAIN_ID, sponsor })
  const { token, settlement, genesisHash, treasury, ownerKey } = sandbox
  // Finalized is two blocks behind: the contracts are final from the first payment on.
  await rpc.call('anvil_mine', ['0x' + FINAL_BLOCKS.toString(16)])
  writePrivateFile(join(directory, OWNER_FILE), text({ key: ownerKey, treasury }))
  writePrivateFile(
    join(directory, CHAIN_FILE),
    text({
      ...{ chain_id: CHAIN_ID, genesis_hash: genesisHash, rpc_urls: ['http://127.0.0.1'] },
      ...{ token, settlement, finality: 'finalized', max_fee_gwei: MAX_FEE_GWEI },
      signer: { kind: 'local' },
    }),
  )
}

/**
 * A database that was made anew has another wallet. Contracts of an unknown release stay as they
 * are: holders' accounts belong to them, and the settler sends nothing there.
 */
async function renew(
  rpc: JsonRpc,
  { sponsor, directory, log }: { sponsor: Hex; directory: string; log: Logger },
): Promise<void> {
  const { key } = JSON.parse(readFileSync(join(directory, OWNER_FILE), 'utf8'))
  const { settlement } = JSON.parse(readFileSync(join(directory, CHAIN_FILE), 'utf8'))
  const code = await rpc.call('eth_getCode', [settlement, 'latest'])
  if (!code.ok || !isSettlement(hexOf(code.value) ?? '0x')) {
    log.warn(
      { settlement },
      'contracts of an unknown release: nothing settles on this chain; a new data directory has ours',
    )
    return
  }
  await renewSponsor(rpc, { chainId: CHAIN_ID, ownerKey: key, settlement, sponsor })
}

async function mineWhileBusy(rpc: JsonRpc, log: Logger): Promise<never> {
  let left = 0
  for (;;) {
    const pool = await rpc.call('txpool_status', [])
    const pending = pool.ok && isRecord(pool.value) ? Number(pool.value['pending']) : 0
    if (pending > 0) left = FINAL_BLOCKS
    if (pending > 0 || left-- > 0) {
      const mined = await rpc.call('anvil_mine', ['0x1'])
      if (!mined.ok) log.warn({ error: mined.error }, 'no block was mined')
    }
    await sleep(BLOCK_MS)
  }
}

function text(value: object): string {
  return JSON.stringify(value, null, 2) + '\n'
}
