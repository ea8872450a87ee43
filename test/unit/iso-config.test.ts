import { test } from 'tap'
import { isoConfig } from '../../engine/iso-config.ts'
import { readSettings } from '../../shared/settings.ts'

const NAMES = [
  'SVC_ENGINE_ISO_PORT',
  'SVC_ENGINE_ISO_NETWORK',
  'SVC_ENGINE_ISO_TLS_CERT',
  'SVC_ENGINE_ISO_TLS_KEY',
  'SVC_ENGINE_ISO_CLIENT_CA',
] as const
type Texts = { readonly [Name in (typeof NAMES)[number]]?: string }

// The content does not matter here: only that the file is read.
const PEM = import.meta.filename
const port = { SVC_ENGINE_ISO_PORT: '8583' }
const network = { SVC_ENGINE_ISO_NETWORK: 'nk_1' }
const tls = { SVC_ENGINE_ISO_TLS_CERT: PEM, SVC_ENGINE_ISO_TLS_KEY: PEM }
const authority = { SVC_ENGINE_ISO_CLIENT_CA: PEM }

function configOf(texts: Texts, host = '127.0.0.1') {
  const settings = readSettings(texts, NAMES)
  if (!settings.ok) throw new Error(settings.error.join())
  return isoConfig(settings.value, host)
}

test('without a port there is no door, whatever else is set', (t) => {
  t.same(configOf({}), { ok: true, value: null })
  t.same(configOf({ ...network, ...tls, ...authority }, '0.0.0.0'), { ok: true, value: null })
  t.end()
})

test('a door opens to this machine, or to who has a certificate', (t) => {
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
    t.match(configOf({ ...port, ...network }, host), {
      value: { port: 8583, networkKeyId: 'nk_1', tls: null },
    })
  t.match(configOf({ ...port, ...network, ...tls }), {
    value: { tls: { clientAuthorities: null } },
  })
  t.match(configOf({ ...port, ...tls, ...authority }, '0.0.0.0'), {
    value: { networkKeyId: '', tls: { certificate: /import/, clientAuthorities: /import/ } },
  })
  t.end()
})

test('what would let in anybody, or nobody, is refused', (t) => {
  const cases: [Texts, string, RegExp][] = [
    [port, '127.0.0.1', /SVC_ENGINE_ISO_NETWORK must name/],
    [{ ...port, ...network }, '0.0.0.0', /only this machine/],
    [{ ...port, ...network }, '10.127.0.1', /only this machine/],
    [{ ...port, ...network, ...tls }, '::', /only this machine/],
    [{ ...port, ...network, ...tls, ...authority }, '127.0.0.1', /must not be set/],
    [{ ...port, ...authority }, '127.0.0.1', /needs SVC_ENGINE_ISO_TLS_CERT/],
    [{ ...port, ...network, SVC_ENGINE_ISO_TLS_CERT: PEM }, '127.0.0.1', /belong together/],
    [{ ...port, ...tls, SVC_ENGINE_ISO_CLIENT_CA: '/nowhere.pem' }, '::', /nowhere\.pem.*ENOENT/],
  ]
  for (const [texts, host, sentence] of cases) {
    const config = configOf(texts, host)
    t.ok(!config.ok && sentence.test(config.error.join('\n')), JSON.stringify(config))
  }
  t.end()
})
