import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { test } from 'tap'
import { parseCidrs } from '../../shared/address.ts'
import { newApiKey, newOperatorKey } from '../../shared/api-key.ts'
import { misspeltSettings } from '../../shared/misspelt-settings.ts'
import { readSettings, SETTINGS, type SettingName, settingsUsage } from '../../shared/settings.ts'

const KEY = 'k1:' + Buffer.alloc(32, 1).toString('base64')
const OPERATOR = newOperatorKey()
const SECRET = newApiKey('secret', 'sandbox')
const OPERATORS = parseCidrs('127.0.0.0/8,::1/128')
const LOOPBACK = OPERATORS.ok ? OPERATORS.value : []
const LONG = '/' + 'd'.repeat(101)

// For each variable: its default, a valid text, the value read from it, and refused texts.
const TABLE: {
  readonly [Name in SettingName]: readonly [
    unset: unknown,
    text: string,
    read: unknown,
    refused: string[],
  ]
} = {
  SVC_DATA_DIR: [resolve('.data'), '/var/svc', '/var/svc', ['', ' ']],
  SVC_API_PORT: [8080, '1', 1, ['', '0', '65536', '80.5', '-1', 'http']],
  SVC_ENGINE_PORT: [8081, '65535', 65535, ['', '0', '65536', '1e3']],
  SVC_API_HOST: ['127.0.0.1', '::1', '::1', ['', 'a b', 'http://x']],
  SVC_METRICS_HOST: ['127.0.0.1', '::1', '::1', ['', 'a b', 'http://x']],
  SVC_ENGINE_HOST: ['127.0.0.1', 'engine.internal', 'engine.internal', ['', ' ']],
  SVC_ENGINE_ISO_PORT: [null, '8583', 8583, ['0', '65536', 'iso']],
  SVC_ENGINE_ISO_NETWORK: [null, 'nk_1', 'nk_1', []],
  SVC_AUDIT_ANCHORS: [
    null,
    'https://keep.example/anchors',
    { url: 'https://keep.example/anchors' },
    ['https://u:p@keep.example/', 'http:', 'https://keep.example/#x'],
  ],
  SVC_AUDIT_ANCHORS_SECRET: [null, 'a'.repeat(24), 'a'.repeat(24), ['a'.repeat(23)]],
  SVC_DATABASE_CONNECTIONS: [null, '3', 3, ['1', '101', 'all']],
  SVC_LINK_DATABASE_URL: [null, 'postgres://l:p@h/d', 'postgres://l:p@h/d', ['mysql://h/d']],
  DATABASE_URL: [
    null,
    'postgres://u:p@h/d',
    'postgres://u:p@h/d',
    [
      'mysql://h/d',
      'h',
      'postgres://u:p%zz@h/d',
      'postgres://h/d?sslmode=full',
      'postgres://h/d?sslmode=verify-full&sslrootcert=/nowhere.pem',
    ],
  ],
  SVC_AUTH_BUDGET_MS: [1500, '50', 50, ['', '49', '1501']],
  SVC_ENGINE_ALLOW_CIDRS: [[], '', [], ['10.0.0.0/33', 'acquirer.example']],
  SVC_WEBHOOK_ALLOW_CIDRS: [[], '', [], ['10.0.0.0/33', 'localhost']],
  SVC_WEBHOOK_RETRY_DELAYS: [
    [0, 30_000, 300_000, 7_200_000, 79_200_000],
    '0,1ms,2s,3m,4h',
    [0, 1, 2000, 180_000, 14_400_000],
    ['', '0', '0,1,2,3', '0,1,2,3,4,5', '0,1,2,3,x', '0,1,2,3,169h', '0,1,2,3,-1'],
  ],
  SVC_DISPATCHER_THREADS: [Math.min(4, availableParallelism() - 1), '0', 0, ['65', '-1', 'all']],
  SVC_DISPATCHER_PORT: [null, '8082', 8082, ['0', '65536', 'metrics']],
  SVC_TRACES_URL: [
    null,
    'http://127.0.0.1:4318/v1/traces',
    'http://127.0.0.1:4318/v1/traces',
    ['127.0.0.1:4318', 'grpc://collector'],
  ],
  SVC_TRACES_SHARE: [1, '0.05', 0.05, ['', '1.5', '-1', 'all', '1e-3']],
  SVC_SETTLER_PORT: [null, '8084', 8084, ['0', '65536', 'metrics']],
  SVC_STRIPE_KEY_SANDBOX: [
    null,
    'sk_test_4eC39HqLyj',
    'sk_test_4eC39HqLyj',
    ['sk_live_4eC39HqLyj', 'sk_test_', 'key'],
  ],
  SVC_STRIPE_KEY_LIVE: [null, 'rk_live_4eC39HqLyj', 'rk_live_4eC39HqLyj', ['sk_test_4eC39HqLyj']],
  SVC_STRIPE_WEBHOOK_SECRET_SANDBOX: [
    [],
    'whsec_0123456789, whsec_9876543210',
    ['whsec_0123456789', 'whsec_9876543210'],
    ['short'],
  ],
  SVC_STRIPE_WEBHOOK_SECRET_LIVE: [[], 'whsec_0123456789', ['whsec_0123456789'], ['short']],
  SVC_STRIPE_URL: [
    'https://api.stripe.com',
    'http://127.0.0.1:9/',
    'http://127.0.0.1:9',
    ['', 'ftp://a.example', '127.0.0.1:9'],
  ],
  SVC_ETCD: [
    [],
    '10.0.0.1:2379, [fd00::1]:2379,etcd.example:2379',
    ['10.0.0.1:2379', '[fd00::1]:2379', 'etcd.example:2379'],
    ['etcd', 'etcd:0', 'etcd:65536', 'http://etcd:2379', 'a:1,,b:1'],
  ],
  SVC_CELL: ['main', 'eu-1', 'eu-1', ['', 'a/b', '1a', 'A', 'a'.repeat(33)]],
  SVC_SHARD: ['s1', 's12', 's12', ['', 's_1', '../s1']],
  SVC_MEMBER_ADDRESS: [
    null,
    '[::1]:9000',
    { host: '::1', port: 9000 },
    ['9000', 'member', 'member:', ':9000', 'a:9000,b:9000'],
  ],
  SVC_DOOR_SOCKET: [null, '/run/door.sock', '/run/door.sock', []],
  SVC_SHARDS: [1, '4', 4, ['', '0', '65', 'two']],
  SVC_DRAINED_KEPT_MS: [600_000, '0', 0, ['', '-1', '86400001']],
  SVC_OWNER_SILENT_MS: [250, '50', 50, ['', '49', '60001', '1s']],
  SVC_ETCD_TLS_CA: [null, '/etc/svc/etcd-ca.pem', '/etc/svc/etcd-ca.pem', []],
  SVC_ETCD_TLS_CERT: [null, '/etc/svc/etcd.pem', '/etc/svc/etcd.pem', []],
  SVC_ETCD_TLS_KEY: [null, '/etc/svc/etcd-key.pem', '/etc/svc/etcd-key.pem', []],
  SVC_MEMBER_TLS_CA: [null, '/etc/svc/members.pem', '/etc/svc/members.pem', []],
  SVC_MEMBER_TLS_CERT: [null, '/etc/svc/member.pem', '/etc/svc/member.pem', []],
  SVC_MEMBER_TLS_KEY: [null, '/etc/svc/member-key.pem', '/etc/svc/member-key.pem', []],
  SVC_DOOR_PORT: [null, '8090', 8090, ['0', '65536', 'door']],
  SVC_DOOR_ISO_PORT: [null, '8583', 8583, ['0', '65536', 'iso']],
  SVC_STRIPE_RATE: [20, '100', 100, ['0', '1001', 'fast']],
  SVC_CHAIN_SANDBOX: [null, '/etc/svc/sandbox.json', '/etc/svc/sandbox.json', []],
  SVC_CHAIN_LIVE: [null, '/etc/svc/live.json', '/etc/svc/live.json', []],
  SVC_HOLDER_URL: [null, 'http://127.0.0.1:9', 'http://127.0.0.1:9', ['127.0.0.1:9']],
  SVC_API_METRICS_PORT: [null, '8083', 8083, ['0', '65536', 'metrics']],
  SVC_IDENTITY_RETENTION: [1826 * 86_400_000, '2d', 2 * 86_400_000, ['', '1d', '5y']],
  SVC_UNMATCHED_RETENTION: [400 * 86_400_000, '30d', 30 * 86_400_000, ['', '0d', '30']],
  SVC_EVENT_RETENTION: [
    30 * 86_400_000,
    '2d',
    2 * 86_400_000,
    ['', '1d', '0d', '3651d', '30', '48h', '2.5d', '-3d'],
  ],
  SVC_IDENTITY_URL: [
    null,
    'https://identity.example/a',
    'https://identity.example/a',
    ['identity'],
  ],
  SVC_IDENTITY_KEY: [null, 'key of ours', 'key of ours', []],
  SVC_IDENTITY_SECRET: [
    [],
    'idsec_0123456789, idsec_9876543210',
    ['idsec_0123456789', 'idsec_9876543210'],
    ['short', ',', 'idsec_0123456789,', 'a,b,c'],
  ],
  SVC_AUTH_URL: [null, 'https://auth.example', 'https://auth.example', ['auth.example', 'ftp://x']],
  SVC_PANEL_MS: [800, '50', 50, ['', '49', '60001', '1s']],
  SVC_SIGN_UP: [null, 'closed', 'closed', ['yes', 'Open']],
  SVC_SMTP_URL: [
    null,
    'smtps://svc:p%40ss@mail.example',
    {
      host: 'mail.example',
      port: 465,
      implicitTls: true,
      account: { user: 'svc', password: 'p@ss' },
    },
    [
      'mail.example',
      'https://mail.example',
      'smtp://user@mail.example',
      'smtp://mail.example/path',
      'smtp://mail.example?pool=true',
      'smtps://u:p%zz@mail.example',
    ],
  ],
  SVC_SMTP_AUTHORITY: [null, '/etc/svc/mail-ca.pem', '/etc/svc/mail-ca.pem', []],
  SVC_MAIL_FROM: [
    null,
    'no-reply@svc.example',
    'no-reply@svc.example',
    ['svc', 'a b@svc.example', 'svc <a@svc.example>', 'a@svc.example\nBcc: b@svc.example'],
  ],
  SVC_INBOX_PORT: [null, '8025', 8025, ['0', '65536', 'inbox']],
  SVC_PUBLIC_URL: [null, 'https://svc.example', 'https://svc.example', ['svc.example', 'ftp://x']],
  SVC_APPLE_PASS_CERT: [null, '/etc/svc/pass.pem', '/etc/svc/pass.pem', []],
  SVC_APPLE_PASS_KEY: [null, '/etc/svc/pass-key.pem', '/etc/svc/pass-key.pem', []],
  SVC_APPLE_PASS_AUTHORITY: [null, '/etc/svc/wwdr.pem', '/etc/svc/wwdr.pem', []],
  SVC_APPLE_PUSH_URL: [
    'https://api.push.apple.com',
    'https://127.0.0.1:2197',
    'https://127.0.0.1:2197',
    ['', 'http://api.push.apple.com', 'api.push.apple.com'],
  ],
  SVC_APPLE_PUSH_AUTHORITY: [null, '/etc/svc/push.pem', '/etc/svc/push.pem', []],
  SVC_GOOGLE_WALLET_ACCOUNT: [null, '/etc/svc/google.json', '/etc/svc/google.json', []],
  SVC_GOOGLE_WALLET_ISSUER: [
    null,
    '3388000000012345678',
    '3388000000012345678',
    ['3388-1', 'issuer', '1'.repeat(33)],
  ],
  SVC_GOOGLE_WALLET_URL: [
    'https://walletobjects.googleapis.com',
    'http://127.0.0.1:8099',
    'http://127.0.0.1:8099',
    ['', 'walletobjects.googleapis.com', 'ftp://x'],
  ],
  SVC_GOOGLE_WALLET_RATE: [20, '100', 100, ['', '0', '201', 'many']],
  SVC_GOOGLE_PAY_URL: [
    'https://pay.google.com',
    'http://127.0.0.1:8099',
    'http://127.0.0.1:8099',
    ['', 'pay.google.com', 'ftp://x'],
  ],
  SVC_TRUSTED_PROXIES: [[], '', [], ['proxy', '10.0.0.0/-1']],
  SVC_OPERATOR_CIDRS: [LOOPBACK, '127.0.0.0/8,::1/128', LOOPBACK, ['office', '10.0.0.0/33']],
  SVC_MASTER_KEY: [
    null,
    KEY,
    [{ id: 'k1', bytes: Buffer.alloc(32, 1), generated: false }],
    ['k1', 'K1' + KEY.slice(2), KEY.slice(0, -8), ','],
  ],
  SVC_OPERATOR_KEY: [null, OPERATOR, OPERATOR, [OPERATOR.slice(0, -1), 'svc_op_', KEY]],
  SVC_API_KEY: [null, SECRET, SECRET, [SECRET.slice(0, -1), 'svc_sk_', OPERATOR]],
  SVC_NETWORK_KEY: [null, 'nkey_1', 'nkey_1', ['nkey 1', 'k'.repeat(65)]],
  SVC_NETWORK_SECRET: [null, 'nsec_0123456789a', 'nsec_0123456789a', ['short', 'n '.repeat(20)]],
  SVC_ENVIRONMENT: ['sandbox', 'live', 'live', ['', 'Live', 'production']],
  SVC_ENGINE_SOCKET: [null, '/run/svc.sock', '/run/svc.sock', [LONG]],
  SVC_API_TLS_CERT: [null, '/etc/svc/api.pem', '/etc/svc/api.pem', []],
  SVC_API_TLS_KEY: [null, '/etc/svc/api-key.pem', '/etc/svc/api-key.pem', []],
  SVC_ENGINE_TLS_CERT: [null, '/etc/svc/cert.pem', '/etc/svc/cert.pem', []],
  SVC_ENGINE_TLS_KEY: [null, '/etc/svc/key.pem', '/etc/svc/key.pem', []],
  SVC_ENGINE_TLS_CLIENT_CA: [null, '/etc/svc/ca.pem', '/etc/svc/ca.pem', []],
  SVC_ENGINE_TLS_CLIENTS: [
    [],
    'nk_1=a.example, nk_1=sha256:' + 'ab'.repeat(32),
    [
      { keyId: 'nk_1', client: 'a.example' },
      { keyId: 'nk_1', client: 'sha256:' + 'ab'.repeat(32) },
    ],
    ['nk_1', '=a', 'nk_1=', 'nk_1=*.example', 'nk_1=sha256:ab', 'nk_1=a,'],
  ],
  SVC_JOURNAL_SEGMENT_BYTES: [67_108_864, '1048576', 1_048_576, ['', '1048575', '1073741825']],
  SVC_SNAPSHOT_ENTRIES: [500_000, '100', 100, ['', '99', '100000001']],
  SVC_SCREENING_LISTS: [
    [],
    'ofac:/lists/ofac, pep:/lists/pep.csv',
    [
      { format: 'ofac', path: '/lists/ofac' },
      { format: 'pep', path: '/lists/pep.csv' },
    ],
    ['/lists/ofac', 'un:/lists', 'ofac:'],
  ],
  SVC_OUTSIDE_PARTIES: [[], 'tenant,google-wallet', ['tenant', 'google-wallet'], [',', 'a b']],
  SVC_LOG_LEVEL: ['info', 'debug', 'debug', ['', 'silent', 'INFO']],
}
const NAMES = Object.keys(SETTINGS) as SettingName[]

for (const name of NAMES) {
  const [unset, text, read, refused] = TABLE[name]
  test(name + ' has its default, is read, and is refused by name', (t) => {
    t.same(readSettings({}, [name]), { ok: true, value: { [name]: unset } })
    t.same(readSettings({ [name]: ' ' + text + ' ' }, [name]), {
      ok: true,
      value: { [name]: read },
    })
    for (const wrong of refused) {
      const { ok, ...rest } = readSettings({ [name]: wrong }, [name])
      t.equal(ok, false, JSON.stringify(wrong))
      t.match('error' in rest ? rest.error : [], [new RegExp('^' + name + ' ')])
    }
    t.end()
  })
}

test('every problem is reported, not only the first', (t) => {
  const read = readSettings({ SVC_API_PORT: 'x', SVC_ENVIRONMENT: 'y', SVC_LOG_LEVEL: 'z' }, NAMES)
  t.same(read.ok ? [] : read.error.map((sentence) => sentence.split(' ')[0]), [
    'SVC_API_PORT',
    'SVC_ENVIRONMENT',
    'SVC_LOG_LEVEL',
  ])
  t.end()
})

test('an error about a wrong key or address never repeats the value', (t) => {
  const secrets = { SVC_MASTER_KEY: KEY.slice(0, -8), DATABASE_URL: 'mysql://u:hunter2@h/d' }
  const read = readSettings(secrets, NAMES)
  t.equal(read.ok, false)
  t.notMatch(JSON.stringify(read), /hunter2|AQEB/)
  t.end()
})

test('help names each setting once, with its default', (t) => {
  const lines = settingsUsage(NAMES).trimEnd().split('\n')
  t.same(
    lines.map((line) => line.trim().split(' ')[0]),
    NAMES,
  )
  t.match(lines[0], /Default: \.data\.$/)
  t.end()
})

test('a misspelt setting is named with the nearest known name, without its value', (t) => {
  const named = misspeltSettings({
    SVC_API_PRT: 'secret-1',
    SVC_MASTERKEY: 'secret-2',
    svc_data_dir: '/tmp',
    SVC_COLOUR: 'red',
    SVC_API_PORT: '8080',
    SVC_TEST_PICTURES: '/tmp',
    SVC_ETCD_BIN: '/usr/bin/etcd',
    SVCX: '1',
    PATH: '/bin',
  })
  t.same(named, [
    'SVC_API_PRT is no setting: SVC_API_PORT is meant?',
    'SVC_COLOUR is no setting.',
    'SVC_MASTERKEY is no setting: SVC_MASTER_KEY is meant?',
    'svc_data_dir is no setting: SVC_DATA_DIR is meant?',
  ])
  t.same(misspeltSettings(Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '1']))), [])
  t.end()
})
