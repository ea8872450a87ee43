import { test } from 'tap'
import {
  addressAllowed,
  type Cidr,
  cidrsText,
  endpointUrlProblem,
  parseCidrs,
} from '../../shared/address.ts'

function ranges(text: string): readonly Cidr[] {
  const parsed = parseCidrs(text)
  return parsed.ok ? parsed.value : []
}

const FORBIDDEN = [
  // Addresses of this machine and the unspecified one.
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  // Private, shared, link-local.
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '169.254.0.1',
  'fc00::1',
  'fdff::1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  // Metadata and platform services of clouds.
  '169.254.169.254',
  '169.254.170.2',
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  // Special, test, benchmark, multicast, reserved, broadcast.
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '192.52.193.1',
  '192.175.48.1',
  '192.31.196.1',
  'ff02::1',
  'ff0e::1',
  '2001:db8::1',
  '3fff::1',
  '100::1',
  '5f00::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2620:4f:8000::1',
  // IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo.
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '0:0:0:0:0:ffff:127.0.0.1',
  '::127.0.0.1',
  '::8.8.8.8',
  '0:0:0:0:0:0:8.8.8.8',
  '::7f00:1',
  '::5efe:7f00:1',
  '::ffff:0:7f00:1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::7f00:1',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '2001:0:7f00:1::1',
  // Unassigned.
  '4000::1',
  '8000::1',
  'e000::1',
  '200::1',
  '1::1',
  // Zones, brackets, and texts that are no address.
  'fe80::1%eth0',
  '2606:4700::1%eth0',
  '[::1]',
  '[127.0.0.1]',
  '[]',
  '',
  ' ',
  'localhost',
  '127.1',
  '0x7f000001',
  '2130706433',
  '0177.0.0.1',
  '127.0.0.1.',
  '127.0.0.1/8',
  '1.2.3.4:80',
  '1.2.3',
  '1.2.3.4.5',
  '256.1.1.1',
  '::1::',
  'g::1',
  '\uff11.1.1.1',
]

const ALLOWED = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '169.253.255.255',
  '192.167.255.255',
  '198.17.255.255',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450:4001::200e',
  '[2606:4700::1111]',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2001:4860:4860::8888',
  '3ffe::1',
]

test('private, special and unassigned addresses are forbidden; public ones are allowed', (t) => {
  t.ok(FORBIDDEN.length >= 60, `${FORBIDDEN.length} hostile addresses`)
  t.same(
    FORBIDDEN.filter((address) => addressAllowed(address, [])),
    [],
  )
  t.same(
    ALLOWED.filter((address) => !addressAllowed(address, [])),
    [],
  )
  t.end()
})

test('a range opened on purpose is open in every spelling, and its neighbours stay closed', (t) => {
  const opened = ranges('127.0.0.0/8, ::1/128,10.1.0.0/16')
  const open = ['127.0.0.1', '127.9.9.9', '::1', '10.1.255.255', '::ffff:127.0.0.1', '[::1]']
  t.same(
    open.filter((address) => !addressAllowed(address, opened)),
    [],
  )
  const shut = ['10.2.0.1', '::2', '::127.0.0.1', '2002:7f00:1::', '128.0.0.0.1', '192.168.0.1']
  t.same(
    shut.filter((address) => addressAllowed(address, opened)),
    [],
  )
  t.end()
})

test('ranges survive the transfer to another thread', (t) => {
  const text = '127.0.0.0/8,::1/128,fd00::/8,10.1.2.3/32'
  t.equal(cidrsText(ranges(text)), text)
  t.same(ranges(cidrsText(ranges(text))), ranges(text))
  t.equal(cidrsText([]), '')
  t.same(parseCidrs(''), { ok: true, value: [] })
  const bad = ['127.0.0.1', '10.0.0.0/33', '::/129', 'x/8', '10.0.0.0/8;', '/8']
  t.same(
    bad.filter((item) => parseCidrs(item).ok),
    [],
  )
  t.end()
})

const HOSTILE_URLS = [
  'http://127.0.0.1/',
  'http://127.1/',
  'http://0x7f000001/',
  'http://2130706433/',
  'http://017700000001/',
  'http://0177.0.0.1/',
  'http://0/',
  'http://0.0.0.0/',
  'http://127.0.0.1./',
  'http://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460/',
  'http://\uff11\uff12\uff17.0.0.1/',
  'http://[::1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://[0:0:0:0:0:ffff:7f00:1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[fe80::1]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/',
  'http://168.63.129.16/',
  'http://10.0.0.1/',
  'http://192.168.1.1/',
  'http://172.16.0.1/',
  'http://100.64.0.1/',
  'http://localhost/',
  'http://LOCALHOST/',
  'http://localhost./',
  'http://a.localhost/',
  'http://a.localhost./',
  'http://loc%61lhost/',
  'http://user@hooks.example.com/',
  'http://user:pass@hooks.example.com/',
  'http://:pass@hooks.example.com/',
  'http://hooks.example.com@127.0.0.1/',
  'http://hooks.example.com\\@127.0.0.1/',
  'http://hooks.example.com:22/',
  'http://hooks.example.com:25/',
  'http://hooks.example.com:0/',
  'http://hooks.example.com:444/',
  'http://hooks.example.com:65536/',
  'http://intranet/',
  'http://com./',
  'http://./',
  'http://../',
  'http:///',
  'http://hooks..example.com\t/',
  'http://hooks.example.com/\r\nHost: x',
  ' http://hooks.example.com/',
  'http://hooks.example.com/ ',
  'http://hooks.example.com/#part',
  'ftp://hooks.example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/plain,x',
  'ws://hooks.example.com/',
  'unix:/tmp/x',
  '//hooks.example.com/',
  'hooks.example.com',
  '',
  'http://',
  'https://hooks.example.com:80:80/',
  'http://hooks.example.com/' + 'x'.repeat(2048),
  'http://' + 'a.'.repeat(130) + 'com/',
]

test('URLs that cannot be an endpoint are refused with a reason', (t) => {
  const rules = { httpsOnly: false, opened: [] }
  t.ok(HOSTILE_URLS.length >= 60, `${HOSTILE_URLS.length} hostile URLs`)
  t.same(
    HOSTILE_URLS.filter((url) => endpointUrlProblem(url, rules) === null),
    [],
  )
  const good = [
    'http://hooks.example.com',
    'https://hooks.example.com/a?b=c',
    'https://hooks.example.com:8443/',
    'http://hooks.example.com:1024/',
    'https://b\u00fccher.example/',
    'https://1.1.1.1/',
    'https://[2606:4700::1111]/',
    'http://hooks.example.com./',
    'https://127.0.0.1.nip.io/',
  ]
  t.same(
    good.map((url) => endpointUrlProblem(url, rules)),
    good.map(() => null),
  )
  t.end()
})

test('live accepts https only; loopback has to be opened', (t) => {
  const live = { httpsOnly: true, opened: [] }
  t.equal(endpointUrlProblem('http://hooks.example.com/', live), 'must be https in live')
  t.equal(endpointUrlProblem('https://hooks.example.com/', live), null)
  const sandbox = { httpsOnly: false, opened: ranges('127.0.0.0/8') }
  const local = [
    'http://127.0.0.1:4000/',
    'http://localhost:4000/',
    'http://[::ffff:127.0.0.1]:4000/',
  ]
  t.same(
    local.map((url) => endpointUrlProblem(url, sandbox)),
    [null, null, null],
  )
  t.type(endpointUrlProblem('http://[::1]:4000/', sandbox), 'string')
  t.end()
})
