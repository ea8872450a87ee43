import { test } from 'tap'
import { memberConfig, shardConfig } from '../../engine/member/config.ts'
import { isMember, memberAuthorization } from '../../engine/member/member-token.ts'
import { MEMBER_SETTINGS } from '../../engine/setting-names.ts'
import { parseMasterKeys } from '../../shared/keyring.ts'
import { readSettings } from '../../shared/settings.ts'

type Texts = { readonly [Name in (typeof MEMBER_SETTINGS)[number]]?: string }

const MEMBER: Texts = { SVC_ETCD: '127.0.0.1:2379', SVC_MEMBER_ADDRESS: '127.0.0.1:9000' }

function configOf(texts: Texts) {
  const settings = readSettings(texts, MEMBER_SETTINGS)
  if (!settings.ok) throw new Error(settings.error.join())
  return memberConfig(settings.value)
}

function problemOf(texts: Texts): string {
  const config = configOf(texts)
  return config.ok ? '' : config.error.join(' ')
}

test('without etcd an engine is no member', (t) => {
  t.same(configOf({}), { ok: true, value: null })
  t.end()
})

test('a member names its shard, its address and etcd', (t) => {
  t.match(configOf({ ...MEMBER, SVC_CELL: 'eu', SVC_SHARD: 's2', SVC_OWNER_SILENT_MS: '300' }), {
    ok: true,
    value: {
      cell: 'eu',
      shard: 's2',
      etcd: ['127.0.0.1:2379'],
      etcdTls: null,
      memberTls: null,
      address: { host: '127.0.0.1', port: 9000 },
      silentMs: 300,
    },
  })
  t.end()
})

test('combinations that would run in no way, or open a link to strangers, are refused', (t) => {
  t.match(problemOf({ SVC_MEMBER_ADDRESS: '127.0.0.1:1' }), 'needs SVC_ETCD')
  t.match(problemOf({ SVC_ETCD: '127.0.0.1:1' }), 'needs SVC_MEMBER_ADDRESS')
  t.match(problemOf({ ...MEMBER, SVC_MEMBER_ADDRESS: '10.0.0.1:1' }), 'needs SVC_MEMBER_TLS_CA')
  t.match(problemOf({ ...MEMBER, SVC_ETCD: '127.0.0.1:1,10.0.0.1:2379' }), 'SVC_ETCD_TLS_CA')
  t.match(problemOf({ ...MEMBER, SVC_ETCD_TLS_CA: '/nowhere.pem' }), 'cannot be read')
  t.match(problemOf({ ...MEMBER, SVC_MEMBER_TLS_CERT: '/nowhere.pem' }), 'SVC_MEMBER_TLS_KEY')
  const settings = readSettings({ SVC_MEMBER_TLS_CA: import.meta.filename }, MEMBER_SETTINGS)
  t.match(settings.ok ? shardConfig(settings.value) : null, { ok: false })
  t.end()
})

test('a caller of the link shows a hash under any master key of the installation', (t) => {
  const keys = (ids: readonly string[]) => {
    const texts = ids.map(
      (id, at) => id + ':' + Buffer.alloc(32, 1 + at + id.length).toString('base64'),
    )
    const parsed = parseMasterKeys(texts.join(), false)
    if (!parsed.ok) throw new Error(parsed.error)
    return parsed.value
  }
  const old = keys(['k1'])
  const both = [...keys(['new']), ...old] as const
  t.equal(isMember(both, memberAuthorization(old)), true)
  t.equal(isMember(old, memberAuthorization(both)), false)
  for (const shown of [undefined, '', 'Bearer ', memberAuthorization(old) + 'x'])
    t.equal(isMember(old, shown), false)
  t.end()
})
