import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { hasAnvil } from '../../scripts/chain-peer/anvil.ts'
import { parseMasterKeys, SEAL_CONTEXTS, unseal } from '../../shared/keyring.ts'
import { type RpcFake, startRpcFake } from '../fakes/rpc.ts'
import { COMPILED } from '../harness/compiled.ts'
import { type PaidOnceWorld, paidOnce } from '../harness/paid-once.ts'
import {
  pay,
  type SettlementStand,
  startSettlement,
  TEST_MASTER_KEY,
} from '../harness/settlement.ts'
import { happens } from '../harness/until.ts'

const SETTLER = new URL('../../api/payments/settler/main.ts', import.meta.url).pathname
const CENTS = 10
/** Kills after each step in the short form; SVC_TEST_KILLS asks for more. */
const KILLS = Number(process.env['SVC_TEST_KILLS'] ?? 1)
const KILLED_MS_MAX = 30_000
const LANDED_MS_MAX = 60_000

/** A call of the node by which the settler has made a step, and whether the node still hears it. */
interface KillPoint {
  after: string
  method: string
  heard: boolean
  /** The answer that means it; absent: any. */
  when?: (result: unknown) => boolean
  /** The state that the database must have reached; absent: any. */
  stands?: (at: SettlementStand) => Promise<boolean>
}

const isMined = (result: unknown): boolean => result !== null

async function hasClosed({ sql }: SettlementStand): Promise<boolean> {
  const open = await sql`select from settlement_batches where status = 'open' and call is null`
  return open.length > 0
}

const KILL_POINTS: readonly KillPoint[] = [
  { after: 'close', method: 'eth_chainId', heard: false, stands: hasClosed },
  { after: 'encode', method: 'eth_estimateGas', heard: false },
  { after: 'rehearse', method: 'eth_feeHistory', heard: false },
  { after: 'sign', method: 'eth_sendRawTransaction', heard: false },
  { after: 'send', method: 'eth_sendRawTransaction', heard: true },
  { after: 'watch', method: 'eth_getTransactionReceipt', heard: true, when: isMined },
]

interface Settler {
  output(): string
  /** Ends with the kill of a kill point. */
  start(): { gone: Promise<void>; kill(signal: NodeJS.Signals): void }
}

function settlerOf(t: Test, at: SettlementStand, rpcUrl: string): Settler {
  const { token, settlement, genesisHash } = at.config
  const directory = t.testdir()
  const path = join(directory, 'chain.json')
  const chain = {
    ...{ chain_id: at.config.chainId, genesis_hash: genesisHash, rpc_urls: [rpcUrl] },
    ...{ token, settlement, finality: 'finalized', max_fee_gwei: 100, signer: { kind: 'local' } },
  }
  writeFileSync(path, JSON.stringify(chain))
  const env = {
    ...COMPILED,
    ...{ DATABASE_URL: at.databaseUrl, SVC_DATA_DIR: directory, SVC_CHAIN_SANDBOX: path },
    ...{ SVC_MASTER_KEY: TEST_MASTER_KEY, SVC_LOG_LEVEL: 'debug' },
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
async function killAt(fake: RpcFake, settler: Settler, at: SettlementStand, point: KillPoint) {
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
  }, KILLED_MS_MAX)
  run.kill('SIGKILL')
  await run.gone
  Object.assign(fake, { admit: () => true, change: () => undefined })
  return reached
}

async function allLand(at: SettlementStand): Promise<boolean> {
  return happens(async () => {
    await at.mine(1)
    const [row] = await at.sql<{ open: number }[]>`
      select count(*) as open from payment_captures where status <> 'landed'`
    return row?.open === 0
  }, LANDED_MS_MAX)
}

async function world(t: Test): Promise<PaidOnceWorld & { fake: RpcFake }> {
  const at = await startSettlement(t)
  const tenant = await at.newTenant()
  const [payee, payer] = [await at.addPayee(tenant, 0), await at.addPayer(tenant, 1_000_000)]
  await at.mine(2)
  await at.round()
  const fake = await startRpcFake(at.url)
  t.teardown(() => fake.close())
  return { at, payer, payee, fake }
}

test('a settler that is killed after each of its steps pays each capture once', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const stage = await world(t)
  const { at, payer, payee, fake } = stage
  const settler = settlerOf(t, at, fake.url)
  for (let round = 0; round < KILLS; round++) {
    for (const point of KILL_POINTS) {
      await pay(at, { payer, payee, cents: CENTS })
      t.ok(await killAt(fake, settler, at, point), 'killed after ' + point.after)
    }
    // The last step is one transaction of the database: any moment of it.
    const last = settler.start()
    await happens(async () => {
      await at.mine(1)
      const [row] = await at.sql<{ included: number }[]>`
        select count(*) as included from settlement_batches where status = 'included'`
      return (row?.included ?? 0) > 0
    }, KILLED_MS_MAX)
    await at.mine(2)
    await new Promise((resolve) => setTimeout(resolve, (round * 37) % 400))
    last.kill('SIGKILL')
    await last.gone
  }
  const last = settler.start()
  t.ok(await allLand(at), 'every capture landed')
  last.kill('SIGTERM')
  await last.gone
  await paidOnce(t, stage)

  await t.test('the key of the sponsor is in no log and no row', async (t) => {
    const key = await sponsorKey(at)
    t.match(key, /^0x[0-9a-f]{64}$/)
    const rows = await at.sql<{ text: string }[]>`
      select query_to_xml('select * from ' || quote_ident(tablename), true, false, '')::text as text
      from pg_tables where schemaname = 'public'`
    const dump = rows.map(({ text }) => text).join('\n')
    t.ok(dump.includes(at.line.signer.address), 'the dump has the wallet')
    for (const form of formsOf(key)) {
      t.notOk(settler.output().includes(form), 'in no line of the log')
      t.notOk(dump.includes(form), 'in no row, event or audit entry')
    }
  })
})

async function sponsorKey(at: SettlementStand): Promise<string> {
  const [wallet] = await at.sql<{ sealed: string }[]>`
    select sealed_key as sealed from settlement_wallets`
  const keys = parseMasterKeys(TEST_MASTER_KEY, false)
  if (!keys.ok) throw new Error(keys.error)
  const opened = unseal(keys.value, SEAL_CONTEXTS.sponsorKey, wallet?.sealed ?? '')
  if (!opened.ok) throw new Error(opened.error)
  return opened.value.toString('utf8')
}

/** The key as a log, a JSON text or a dump could hold it. */
function formsOf(key: string): readonly string[] {
  const bytes = Buffer.from(key.slice(2), 'hex')
  return [
    ...[key.slice(2), key.slice(2).toUpperCase(), BigInt(key).toString()],
    ...[bytes.toString('base64'), bytes.toString('base64url'), [...bytes].join(',')],
  ]
}
