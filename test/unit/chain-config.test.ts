import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { parseChainConfig, readChainConfigs } from '../../api/payments/chain/chain-config.ts'

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const SANDBOX = {
  chain_id: 31_337,
  genesis_hash: '0x' + 'ab'.repeat(32),
  rpc_urls: ['http://127.0.0.1:8545'],
  token: ADDRESS,
  settlement: ADDRESS.toLowerCase(),
  finality: 'finalized',
  max_fee_gwei: 0.5,
  signer: { kind: 'local' },
}
const LIVE = {
  ...SANDBOX,
  chain_id: 8453,
  rpc_urls: ['https://one.example/secret', 'https://two.example/secret'],
  finality: 20,
  signer: { kind: 'remote', url: 'http://127.0.0.1:9000/sign', address: ADDRESS },
}

function problems(environment: 'sandbox' | 'live', change: object): readonly string[] {
  const base = environment === 'live' ? LIVE : SANDBOX
  const config = parseChainConfig(environment, { ...base, ...change })
  return config.ok ? [] : config.error
}

test('a chain of each environment is read', (t) => {
  t.match(parseChainConfig('sandbox', SANDBOX), {
    ok: true,
    value: { chainId: 31_337, finality: 'finalized', maxFeeWei: 500_000_000n, least: 1 },
  })
  t.match(parseChainConfig('live', LIVE), {
    ok: true,
    value: { finality: 20, least: 2, signer: { kind: 'remote', address: ADDRESS } },
  })
  t.end()
})

test('a wrong field of a chain is refused by its name', (t) => {
  const wrong: readonly [object, RegExp][] = [
    [{ chain_id: 0 }, /^chain_id must be/],
    [{ chain_id: '1' }, /^chain_id must be/],
    [{ genesis_hash: '0xab' }, /^genesis_hash must be 32 bytes/],
    [{ rpc_urls: [] }, /^rpc_urls must be/],
    [{ rpc_urls: ['ws://h'] }, /^rpc_urls must be/],
    [{ rpc_urls: 'http://h' }, /^rpc_urls must be/],
    [{ token: ADDRESS.replace('5aA', '5AA') }, /^token must be an address/],
    [{ settlement: '0x1' }, /^settlement must be an address/],
    [{ finality: 'latest' }, /^finality must be/],
    [{ finality: 0 }, /^finality must be/],
    [{ max_fee_gwei: 0 }, /^max_fee_gwei must be/],
    [{ max_fee_gwei: 1e6 }, /^max_fee_gwei must be/],
    [{ signer: 'local' }, /^signer must be/],
    [{ signer: { kind: 'local', key: 'canary' } }, /^signer must be[^y]*$/],
    [{ signer: { kind: 'remote', url: 'http://h', address: '0x1' } }, /^signer must be/],
    [{ rpc_url: 'http://h' }, /^rpc_url is no field of a chain/],
  ]
  for (const [change, problem] of wrong) {
    const found = problems('sandbox', change)
    t.equal(found.length, 1, JSON.stringify(change))
    t.match(found[0], problem)
  }
  t.match(parseChainConfig('sandbox', []), { ok: false, error: ['must hold a JSON object'] })
  t.ok(problems('sandbox', { token: 1, finality: 1.5 }).length === 2, 'every problem at once')
  t.end()
})

test('live refuses a chain that a stolen machine or one RPC could betray', (t) => {
  const { url } = LIVE.signer
  const [one, two] = LIVE.rpc_urls
  t.match(problems('live', { rpc_urls: [one] }), [/two hosts/])
  t.match(problems('live', { rpc_urls: [one, one + '/other'] }), [/two hosts/])
  t.match(problems('live', { rpc_urls: [one, 'http://two.example'] }), [/https/])
  t.match(problems('live', { chain_id: 31_337 }), [/developer/])
  t.match(problems('live', { signer: { kind: 'local' } }), [/remote/])
  const remote = { kind: 'remote', url: 'http://kms.example', address: ADDRESS }
  t.match(problems('live', { signer: remote }), [/url of signer/])
  t.same(problems('live', { signer: { ...remote, url } }), [])
  t.same(problems('sandbox', { rpc_urls: [two], signer: remote }), [], 'the sandbox takes them')
  t.end()
})

test('a file that cannot be read names its setting', (t) => {
  const directory = t.testdir()
  const path = join(directory, 'chain.json')
  const found: string[] = []
  const none = { SVC_CHAIN_SANDBOX: null, SVC_CHAIN_LIVE: null }
  t.same(readChainConfigs(none, found), { sandbox: null, live: null })
  readChainConfigs({ ...none, SVC_CHAIN_LIVE: path }, found)
  writeFileSync(path, '{')
  readChainConfigs({ ...none, SVC_CHAIN_SANDBOX: path }, found)
  writeFileSync(path, JSON.stringify({ ...LIVE, chain_id: 31_338 }))
  readChainConfigs({ SVC_CHAIN_SANDBOX: path, SVC_CHAIN_LIVE: path }, found)
  t.same(found, [
    'SVC_CHAIN_LIVE (' + path + '): cannot be read: ENOENT',
    'SVC_CHAIN_SANDBOX (' + path + '): is not JSON',
    'SVC_CHAIN_LIVE and SVC_CHAIN_SANDBOX must name different chains',
  ])
  t.end()
})
