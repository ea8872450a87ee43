// The sandbox's chain keeps its contracts over a restart, and says so where they are of an
// unknown release.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { hasAnvil } from '../../scripts/chain-peer/anvil.ts'
import { CHAIN_DIRECTORY, CHAIN_FILE, PLAN_FILE } from '../../scripts/chain-peer/config.ts'
import { COMPILED } from '../harness/compiled.ts'
import { freePorts } from '../harness/start.ts'
import { until } from '../harness/until.ts'

const PEER = new URL('../../scripts/chain-peer/main.ts', import.meta.url).pathname
const SPONSOR = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const LISTENS = /chain listens/
const OTHER_RELEASE = /contracts of an unknown release/

/** Starts the peer, stops it once it listens, and returns its log. */
async function playOnce(t: Test, dataDir: string): Promise<string> {
  const env = { ...COMPILED, SVC_DATA_DIR: dataDir, SVC_LOG_LEVEL: 'info' }
  const child = spawn(process.execPath, [PEER], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes) => {
      log += bytes
    })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  t.teardown(() => void child.kill('SIGKILL'))
  await until(() => LISTENS.test(log) || child.exitCode !== null)
  child.kill('SIGTERM')
  await gone
  return log
}

test('contracts of an unknown release stay, and a person reads that nothing settles', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const dataDir = t.testdir()
  const directory = join(dataDir, CHAIN_DIRECTORY)
  mkdirSync(directory)
  const [port] = await freePorts(1)
  writeFileSync(join(directory, PLAN_FILE), JSON.stringify({ port, sponsor: SPONSOR }))
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
