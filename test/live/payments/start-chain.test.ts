// The chain among the parts that `npm start` runs: what is missing is one sentence, and the rest
// starts.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { t as suite, test } from 'tap'
import { CHAIN_DIRECTORY, CHAIN_FILE } from '../../../scripts/chain-peer/config.ts'
import { chainParts } from '../../../scripts/start/chain.ts'
import { newMasterKeyText, parseMasterKeys } from '../../../shared/keyring.ts'
import { file } from '../../harness/per-file.ts'
import { openTestDatabase } from '../../harness/postgres.ts'

const { sql } = await openTestDatabase(file)
const keys = parseMasterKeys(newMasterKeyText(), false)
if (!keys.ok) throw new Error(keys.error)
const world = { sql, masterKeys: keys.value, hasNode: true }
const ports = { chain: null, settler: 1, holder: null }
const config = { environment: 'sandbox', ownChain: false, dataDir: suite.testdir() } as const

test('without the binary of the node payments are closed, and a sentence says so', async (t) => {
  const parts = await chainParts(config, { ...world, hasNode: false }, ports)
  t.match(parts, { processes: [], parties: [], api: {}, settlerUrl: null })
  t.equal(parts.note, 'payments are closed: npm has anvil for Linux x64 only')
})

test('another chain brings its settler and no node, live without one brings nothing', async (t) => {
  const own = await chainParts({ ...config, ownChain: true }, world, ports)
  t.match(own, { processes: [['settler', {}]], parties: [], note: null })
  const live = await chainParts({ ...config, environment: 'live' }, world, ports)
  t.match(live, { processes: [], parties: [], note: null })
})

test('a database whose chain is gone is told with the way out', async (t) => {
  const first = await chainParts(config, world, ports)
  t.match(first, { parties: [{ name: 'chain' }, { name: 'holder' }], note: null })
  await sql`update settlement_wallets set next_nonce = 3`
  const chainFile = join(config.dataDir, CHAIN_DIRECTORY, CHAIN_FILE)
  writeFileSync(chainFile, '{}')
  t.equal((await chainParts(config, world, ports)).note, null)
  rmSync(chainFile)
  t.match(await chainParts(config, world, ports), {
    note: /chain of this database is gone: .* Restore .*chain, or delete the data directory$/,
  })
})
