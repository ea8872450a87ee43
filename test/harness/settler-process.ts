// The settler's own process on the chain of a test, which is killed where a test wants it.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { RpcFake } from '../fakes/rpc.ts'
import { COMPILED } from './compiled.ts'
import { type SettlementStand, TEST_MASTER_KEY } from './settlement.ts'
import { happens } from './until.ts'

const SETTLER = new URL('../../api/payments/settler/main.ts', import.meta.url).pathname

/** A call of the node by which the settler has made a step, and whether the node still hears it. */
export interface KillPoint {
  after: string
  method: string
  heard: boolean
  /** The answer that means it; absent: any. */
  when?: (result: unknown) => boolean
  /** The state that the database must have reached; absent: any. */
  stands?: (at: SettlementStand) => Promise<boolean>
}

export interface Settler {
  output(): string
  /** Ends with the kill of a kill point. */
  start(): { gone: Promise<void>; kill(signal: NodeJS.Signals): void }
}

export interface SettlerOptions {
  /** The cap of the chain's file; 100 when absent. */
  maxFeeGwei?: number
  /** Port of its metrics; closed when absent. */
  metricsPort?: number
  /** The database as another role; that of the stand when absent. */
  databaseUrl?: string
  /** More of its environment. */
  environment?: { readonly [name: string]: string }
}

export function settlerOf(
  t: Test,
  at: SettlementStand,
  rpcUrl: string,
  {
    maxFeeGwei = 100,
    metricsPort,
    databaseUrl = at.databaseUrl,
    environment = {},
  }: SettlerOptions = {},
): Settler {
  const { token, settlement, genesisHash } = at.config
  const directory = t.testdir()
  const path = join(directory, 'chain.json')
  const chain = {
    ...{ chain_id: at.config.chainId, genesis_hash: genesisHash, rpc_urls: [rpcUrl] },
    ...{
      token,
      settlement,
      finality: 'finalized',
      max_fee_gwei: maxFeeGwei,
      signer: { kind: 'local' },
    },
  }
  writeFileSync(path, JSON.stringify(chain))
  const env = {
    ...COMPILED,
    ...{ DATABASE_URL: databaseUrl, SVC_DATA_DIR: directory, SVC_CHAIN_SANDBOX: path },
    ...{ SVC_MASTER_KEY: TEST_MASTER_KEY, SVC_LOG_LEVEL: 'debug' },
    ...(metricsPort !== undefined && { SVC_SETTLER_PORT: String(metricsPort) }),
    ...environment,
  }
  let output = ''
  return {
    output: () => output,
    start() {
      const child = spawn(process.execPath, [SETTLER], {
        ...{ env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
      })
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (bytes) => {
          output += bytes
        })
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      return { gone, kill: (signal) => void child.kill(signal) }
    },
  }
}

/** Runs a settler until it reaches the point, and kills it there. */
export async function killAt(
  fake: RpcFake,
  settler: Settler,
  at: SettlementStand,
  point: KillPoint,
) {
  const run = settler.start()
  let killed = false
  const kill = (): void => {
    killed = true
    run.kill('SIGKILL')
  }
  fake.admit = async (method) => {
    if (killed || point.heard || method !== point.method) return !killed
    if (point.stands !== undefined && !(await point.stands(at))) return true
    kill()
    return false
  }
  fake.change = (method, result) => {
    const meant = point.heard && method === point.method && (point.when?.(result) ?? true)
    if (!killed && meant) kill()
    return killed ? 'lost' : undefined
  }
  const reached = await happens(async () => {
    await at.mine(1)
    return killed
  })
  run.kill('SIGKILL')
  await run.gone
  Object.assign(fake, { admit: () => true, change: () => undefined })
  return reached
}
