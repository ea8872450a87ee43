// The service never connects to internal hosts: hostile addresses and names are refused when an
// endpoint is registered, and again before a connection, whatever the database or the name servers
// say meanwhile.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'tap'
import { Client } from 'undici'
import { Refusal } from '../../../api/http/refusal.ts'
import { ConnectRefusal, vettedConnector } from '../../../api/http/vetted-connector.ts'
import { openSender } from '../../../api/webhooks/delivery/sender.ts'
import { refuseUrl } from '../../../api/webhooks/endpoints/url.ts'
import { type Cidr, parseCidrs } from '../../../shared/address.ts'
import { openAddressBook } from '../../../shared/address-book.ts'
import { systemClock } from '../../../shared/clock.ts'
import { createLog } from '../../../shared/log.ts'
import { startNameServer } from '../../fakes/name-server.ts'
import { startTestApi } from '../../harness/api.ts'
import { claimedDelivery } from '../../harness/claimed-delivery.ts'
import { file } from '../../harness/per-file.ts'

const log = createLog({ name: 'test', level: 'silent' })
const clock = systemClock

/** A forbidden server on every address of this machine. */
let visits = 0
const inside = createServer((_request, response) => {
  visits += 1
  response.end()
})
inside.on('connection', () => {
  visits += 1
})
await new Promise<void>((resolve) => inside.listen(0, '::', resolve))
const { port } = inside.address() as AddressInfo
file.teardown(() => {
  inside.closeAllConnections()
  inside.close()
})

const dns = await startNameServer({
  'loopback.test': ['127.0.0.1'],
  'private.test': ['10.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'six.test': ['::1'],
  'local-six.test': ['fd00::1'],
  'mapped.test': ['::ffff:7f00:1'],
  'mixed.test': ['93.184.216.34', '127.0.0.1'],
  'mixed-six.test': ['93.184.216.34', '::1'],
  'public-six.test': ['2606:4700::1111', '10.1.2.3'],
  'alias.test': ['private.test'],
  'alias-of-alias.test': ['alias.test'],
  'alias-mixed.test': ['mixed.test'],
  'dotted.test.': ['127.0.0.1'],
  'nothing.test': ['0.0.0.0'],
  'shared.test': ['100.64.0.1'],
  'public.test': ['93.184.216.34'],
  'both-public.test': ['93.184.216.34', '2606:4700::1111'],
  'alias-public.test': ['both-public.test'],
  'silent.test': 'hang',
  'moves.test': ['93.184.216.34'],
  'opened.test': ['127.0.0.1'],
})
file.teardown(() => dns.close())
const nameServers = [dns.address]

const HOSTILE_HOSTS = [
  // This machine, in every spelling that a URL may have.
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7F.0X0.0.1',
  '017700000001',
  '0177.0.0.01',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '0',
  '0.0.0.0',
  '0x0',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:FFFF:7f00:0001]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:0:7f00:1]',
  '[::5efe:7f00:1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'a.b.localhost.',
  // Private, shared, link-local, unique local, site-local.
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '100.64.0.1',
  '100.127.255.254',
  '169.254.0.1',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  // Metadata services of clouds.
  '169.254.169.254',
  '169.254.170.2',
  '[::ffff:a9fe:a9fe]',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'metadata.google.internal',
  'metadata.google.internal.',
  'METADATA.google.internal',
  'metadata',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
  // IPv4 within IPv6.
  '[64:ff9b::7f00:1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:a00:1::1]',
  '[2001:0:7f00:1::1]',
  '[2001::1]',
  // Unassigned ranges: protocols, documentation, benchmarks, ORCHID, multicast, reserved,
  // broadcast.
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '[100::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[2001:10::1]',
  '[2001:20::1]',
  '[ff02::1]',
  '[4000::1]',
  // Names that lead inside, also only in part, also through other names.
  'loopback.test',
  'loopback.test.',
  'LoopBack.Test',
  'private.test',
  'metadata.test',
  'six.test',
  'local-six.test',
  'mapped.test',
  'mixed.test',
  'mixed-six.test',
  'public-six.test',
  'alias.test',
  'alias-of-alias.test',
  'alias-mixed.test',
  'nothing.test',
  'shared.test',
]

const HOSTILE_URLS = [
  ...HOSTILE_HOSTS.map((host) => 'http://' + host + ':' + port + '/hook'),
  'https://127.0.0.1:' + port + '/',
  'https://loopback.test/',
  // URLs that hide their host, have credentials, or name a forbidden port.
  'http://public.test@127.0.0.1:' + port + '/',
  'http://user@public.test/',
  'http://user:word@public.test/',
  'http://public.test:22/',
  'http://public.test:25/',
  'http://public.test:0/',
  'https://public.test:444/',
  'http://public.test:65536/',
  'http://[fe80::1%25eth0]:' + port + '/',
  'http://[::1%lo]:' + port + '/',
  'http://intranet:' + port + '/',
  'http://public.test/\r\nHost: localhost',
  'http://public.test\\@127.0.0.1/',
  'http://public.test/#@127.0.0.1',
  'ftp://public.test/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:' + port + '/',
  'unix:/var/run/docker.sock',
  '//127.0.0.1/',
  '',
]

function ranges(text: string): readonly Cidr[] {
  const parsed = parseCidrs(text)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

function bookOf(opened: readonly Cidr[]) {
  const book = openAddressBook({ opened, clock, nameServers })
  file.teardown(() => book.close())
  return book
}

/** The refusal of a registration; null if the URL is accepted. */
async function registered(
  url: string,
  {
    opened = [],
    environment = 'sandbox',
  }: { opened?: readonly Cidr[]; environment?: 'sandbox' | 'live' } = {},
  book = bookOf(opened),
): Promise<string | null> {
  const principal = { environment } as Parameters<typeof refuseUrl>[0]['principal']
  try {
    await refuseUrl({ principal }, url, { openedRanges: opened, findAddresses: book.find })
    return null
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

function senderOf(threads: number, opened: readonly Cidr[] = []) {
  const sender = openSender({ threads, opened, clock, log, nameServers, attemptMsMax: 3000 })
  file.teardown(() => sender.close())
  return sender
}

test('a hostile address or name is refused at registration', async (t) => {
  t.ok(HOSTILE_URLS.length >= 100, HOSTILE_URLS.length + ' hostile URLs')
  const book = bookOf([])
  const passed = await Promise.all(
    HOSTILE_URLS.map(async (url) => ((await registered(url, {}, book)) === null ? url : null)),
  )
  t.same(
    passed.filter((url) => url !== null),
    [],
  )
})

for (const threads of [0, 1]) {
  test(
    'no connection goes to a hostile address or name in the database, threads: ' + threads,
    async (t) => {
      const sender = senderOf(threads)
      const outcomes = await Promise.all(
        HOSTILE_URLS.map(async (url) => {
          const { errorClass, status } = await sender.send(claimedDelivery({ url }))
          return { url, errorClass, status }
        }),
      )
      t.same(
        outcomes.filter(
          ({ errorClass, status }) =>
            status !== null || (errorClass !== 'blocked_address' && errorClass !== 'invalid_url'),
        ),
        [],
      )
      // A forbidden address is never reported as an unreadable URL.
      const hosts = outcomes.slice(0, HOSTILE_HOSTS.length)
      t.same(
        hosts.filter(({ errorClass }) => errorClass !== 'blocked_address'),
        [],
      )
      t.equal(visits, 0, 'nobody came')
    },
  )
}

test('a public address, a public name and an unresolved name are accepted', async (t) => {
  const book = bookOf([])
  const good = [
    'http://93.184.216.34/hook',
    'https://[2606:4700::1111]/hook',
    'https://[64:ff9b::5db8:d822]/',
    'http://[::ffff:93.184.216.34]/',
    'https://public.test/a?b=c',
    'https://PUBLIC.test:8443/',
    'http://public.test.:1024/',
    'https://both-public.test/',
    'https://alias-public.test/',
    'https://unknown.test/',
    'https://silent.test/',
    'https://b\u00fccher.example/',
    'https://127.0.0.1.nip.example/',
  ]
  const refused = await Promise.all(good.map((url) => registered(url, {}, book)))
  t.same(
    refused,
    good.map(() => null),
  )
  const found = await Promise.all(
    ['public.test', 'both-public.test', 'alias-public.test'].map(book.find),
  )
  t.same(found, [
    { ok: true, addresses: ['93.184.216.34'] },
    { ok: true, addresses: ['93.184.216.34', '2606:4700::1111'] },
    { ok: true, addresses: ['93.184.216.34', '2606:4700::1111'] },
  ])
})

test('live accepts https only, at registration and on sending', async (t) => {
  const live = { environment: 'live' } as const
  t.match(await registered('http://public.test/', live), /https in live/)
  t.equal(await registered('https://public.test/', live), null)
  const sender = senderOf(0, ranges('127.0.0.0/8'))
  const url = 'http://127.0.0.1:' + port + '/'
  const outcome = await sender.send(claimedDelivery({ url, environment: 'live' }))
  t.match(outcome, { status: null, errorClass: 'invalid_url' })
  t.equal(visits, 0)
})

test('a name that moves inside after its registration is not followed', async (t) => {
  dns.names.set('moves.test', ['93.184.216.34'])
  const url = 'http://moves.test:' + port + '/'
  t.equal(await registered(url), null)
  dns.names.set('moves.test', ['127.0.0.1'])
  const outcome = await senderOf(0).send(claimedDelivery({ url }))
  t.equal(outcome.errorClass, 'blocked_address')
  t.equal(visits, 0)
})

test('a connection to an unexpected address is closed before any byte is sent', async (t) => {
  const lying = {
    find: async () => ({ ok: true, addresses: ['127.0.0.1'] }) as const,
    close() {},
  }
  const connect = vettedConnector({ addresses: lying, opened: [], timeoutMs: 1000 })
  const client = new Client('http://slips.test:' + port, { connect })
  const before = visits
  await t.rejects(client.request({ path: '/', method: 'POST' }), ConnectRefusal)
  await client.destroy()
  t.ok(visits - before <= 1, 'no request came')
  visits = 0
})

test('a range opened on purpose is open, and its neighbours are not', async (t) => {
  const opened = ranges('127.0.0.0/8')
  const open = ['127.0.0.1', 'localhost', 'opened.test', '[::ffff:127.0.0.1]', '2130706433']
  const sender = senderOf(0, opened)
  for (const host of open) {
    const url = 'http://' + host + ':' + port + '/'
    t.equal(await registered(url, { opened }), null, host)
    t.match(await sender.send(claimedDelivery({ url })), { status: 200, errorClass: null }, host)
  }
  for (const host of [
    '[::1]',
    '10.0.0.1',
    'six.test',
    'mixed-six.test',
    'metadata.google.internal',
  ]) {
    const url = 'http://' + host + ':' + port + '/'
    t.type(await registered(url, { opened }), 'string', host)
    t.match(await sender.send(claimedDelivery({ url })), { errorClass: 'blocked_address' }, host)
  }
})

test('the API refuses a name that leads inside, before it writes anything', async (t) => {
  const book = bookOf(ranges('127.0.0.0/8'))
  const api = await startTestApi()
  api.names.find = book.find
  const create = (url: string) =>
    api.call('POST', '/v1/webhook_endpoints', { key: api.tenant.keys.write, body: { url } })
  const refused = await create('https://private.test/hook')
  t.equal(refused.status, 400)
  t.match(refused.body.error, { code: 'parameter_invalid', param: 'url' })
  const made = await create('https://public.test/hook')
  t.equal(made.status, 201)
  const path = '/v1/webhook-endpoints/' + made.body.id
  const changed = await api.call('PATCH', path, {
    key: api.tenant.keys.write,
    body: { url: 'https://public-six.test/hook' },
  })
  t.equal(changed.status, 400)
  const kept = await api.call('GET', path, { key: api.tenant.keys.write })
  t.equal(kept.body.url, 'https://public.test/hook')
})
