// The sandbox's chain keeps its contracts over a restart and the death of its node, and says so
// where they are of an unknown release.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { hasAnvil } from '../../scripts/chain-peer/anvil.ts'
import { CHAIN_DIRECTORY, CHAIN_FILE, PLAN_FILE } from '../../scripts/chain-peer/config.ts'
import { COMPILED } from '../harness/compiled.ts'
import { freePorts } from '../harness/free-ports.ts'
import { until } from '../harness/until.ts'

const PARTIES = new URL('../../scripts/outside-parties/main.ts', import.meta.url).pathname
const SPONSOR = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const LISTENS = /outside party listens/
const OTHER_RELEASE = /contracts of an unknown release/

interface Played {
  child: ChildProcess
  log(): string
  /** Resolves when it is gone. */
  gone: Promise<void>
}

/** Starts the party, and resolves once it listens or is gone. */
async function play(t: Test, dataDir: string): Promise<Played> {
  const env = { ...COMPILED, SVC_OUTSIDE_PARTIES: 'chain', SVC_DATA_DIR: dataDir }
  const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const
  const child = spawn(process.execPath, [PARTIES], { env, stdio: [...stdio] })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes) => {
      log += bytes
    })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  t.teardown(() => void child.kill('SIGKILL'))
  await until(() => LISTENS.test(log) || child.exitCode !== null)
  return { child, log: () => log, gone }
}

/** Starts the party, stops it once it listens, and returns its log. */
async function playOnce(t: Test, dataDir: string): Promise<string> {
  const { child, log, gone } = await play(t, dataDir)
  child.kill('SIGTERM')
  await gone
  return log()
}

/** A data directory with the plan of a chain. */
async function planned(t: Test): Promise<{ dataDir: string; directory: string }> {
  const dataDir = t.testdir()
  const directory = join(dataDir, CHAIN_DIRECTORY)
  mkdirSync(directory)
  const [port] = await freePorts(1)
  writeFileSync(join(directory, PLAN_FILE), JSON.stringify({ port, sponsor: SPONSOR }))
  return { dataDir, directory }
}

test('contracts of an unknown release stay, and a person reads that nothing settles', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const { dataDir, directory } = await planned(t)
  const chainFile = join(directory, CHAIN_FILE)
  const chain = () => JSON.parse(readFileSync(chainFile, 'utf8'))
  t.notMatch(await playOnce(t, dataDir), OTHER_RELEASE)
  const deployed = chain()
  t.notMatch(await playOnce(t, dataDir), OTHER_RELEASE, 'the same contracts after a restart')
  t.equal(chain().settlement, deployed.settlement)
  writeFileSync(chainFile, JSON.stringify({ ...deployed, settlement: deployed.token }))
  t.match(await playOnce(t, dataDir), OTHER_RELEASE)
  t.equal(chain().settlement, deployed.token, 'nothing is deployed beside them')
  rmSync(join(directory, 'state.json'))
  const log = await playOnce(t, dataDir)
  t.match(log, /state\.json is gone: delete .*chain to begin another chain/)
  t.notMatch(log, LISTENS, 'a chain that lost its state is no chain')
})

test('a node that was killed runs again, on its port and with its contracts', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const { dataDir, directory } = await planned(t)
  const { child, gone } = await play(t, dataDir)
  const { rpc_urls: urls, settlement } = JSON.parse(
    readFileSync(join(directory, CHAIN_FILE), 'utf8'),
  )
  const hasContract = async (): Promise<boolean> => {
    const params = [settlement, 'latest']
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getCode', params })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(urls[0], { method: 'POST', body, headers }).catch(() => null)
    const { result } = ((await answer?.json()) ?? {}) as { result?: string }
    return result !== undefined && result !== '0x'
  }
  t.ok(await hasContract())
  // The node writes its state once a second.
  const state = join(directory, 'state.json')
  const kept = (): boolean =>
    existsSync(state) && readFileSync(state, 'utf8').includes(settlement.toLowerCase())
  await until(kept)
  const [first] = nodesOf(directory)
  process.kill(first!, 'SIGKILL')
  await until(() => nodesOf(directory).some((pid) => pid !== first))
  await until(hasContract)
  t.equal(child.exitCode, null, 'the process of the outside parties goes on')
  child.kill('SIGTERM')
  await gone
})

/** Pids of the nodes that keep their state in this directory. */
function nodesOf(directory: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [command = '', ...options] = readFileSync('/proc/' + pid + '/cmdline', 'utf8').split(
          '\0',
        )
        return command.endsWith('/anvil') && options.some((option) => option.startsWith(directory))
      } catch {
        return false
      }
    })
    .map(Number)
}
