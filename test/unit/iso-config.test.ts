import { test } from 'tap'
import { isoConfig } from '../../engine/iso-config.ts'
import type { Tls } from '../../engine/listeners/tls.ts'
import { type ClientRule, readSettings } from '../../shared/settings.ts'

const NAMES = ['SVC_ENGINE_ISO_PORT', 'SVC_ENGINE_ISO_NETWORK'] as const
type Texts = { readonly [Name in (typeof NAMES)[number]]?: string }

const port = { SVC_ENGINE_ISO_PORT: '8583' }
const network = { SVC_ENGINE_ISO_NETWORK: 'nk_1' }
const rule: ClientRule = { keyId: 'nk_1', client: 'acquirer.test' }

/** TLS whose clients need a certificate, or do not. */
function tlsWith(clientRules: readonly ClientRule[] | null): Tls {
  const clientCa = clientRules === null ? null : { path: 'ca.pem', pem: 'ca' }
  const files = { certPath: 'cert.pem', keyPath: 'key.pem', cert: 'cert', key: 'key' }
  return { ...files, clientCa, clientRules: clientRules ?? [] }
}

function configOf(texts: Texts, host = '127.0.0.1', tls: Tls | null = null) {
  const settings = readSettings(texts, NAMES)
  if (!settings.ok) throw new Error(settings.error.join())
  const { SVC_ENGINE_ISO_PORT: isoPort, SVC_ENGINE_ISO_NETWORK: networkKeyId } = settings.value
  return isoConfig({ setting: 'SVC_ENGINE_ISO_PORT', port: isoPort, networkKeyId, host, tls })
}

test('an unset port opens no listener, whatever else is set', (t) => {
  t.same(configOf({}), { ok: true, value: null })
  t.same(configOf(network, '0.0.0.0', tlsWith([])), { ok: true, value: null })
  t.end()
})

test('the listener admits this machine, or clients with a certificate', (t) => {
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
    t.same(configOf({ ...port, ...network }, host), {
      ok: true,
      value: { port: 8583, networkKeyId: 'nk_1', tls: null },
    })
  const plain = tlsWith(null)
  t.match(configOf({ ...port, ...network }, '127.0.0.1', plain), {
    ok: true,
    value: { tls: plain },
  })
  const ruled = tlsWith([rule])
  t.match(configOf(port, '0.0.0.0', ruled), { value: { networkKeyId: null, tls: ruled } })
  t.match(configOf({ ...port, ...network }, '0.0.0.0', tlsWith([])), { ok: true })
  t.end()
})

test('settings that would admit every client, or none, are refused', (t) => {
  const cases: [Texts, string, Tls | null, RegExp][] = [
    [port, '127.0.0.1', null, /SVC_ENGINE_ISO_NETWORK must name/],
    [port, '127.0.0.1', tlsWith(null), /SVC_ENGINE_ISO_NETWORK must name/],
    [port, '0.0.0.0', tlsWith([]), /SVC_ENGINE_ISO_NETWORK must name/],
    [{ ...port, ...network }, '0.0.0.0', null, /only this machine/],
    [{ ...port, ...network }, '10.127.0.1', null, /only this machine/],
    [{ ...port, ...network }, '::', tlsWith(null), /only this machine/],
  ]
  for (const [texts, host, tls, sentence] of cases) {
    const config = configOf(texts, host, tls)
    t.ok(!config.ok && sentence.test(config.error.join('\n')), JSON.stringify(config))
  }
  const both = configOf(port, '0.0.0.0')
  t.ok(!both.ok && both.error.length === 2, 'together')
  const door = { setting: 'SVC_DOOR_ISO_PORT', port: 8583, networkKeyId: 'nk_1' } as const
  const open = isoConfig({ ...door, host: '0.0.0.0', tls: null })
  t.match(open, { ok: false, error: [/^SVC_DOOR_ISO_PORT without/] }, 'a door names its own port')
  t.end()
})
