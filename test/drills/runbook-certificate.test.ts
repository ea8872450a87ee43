// The runbook of a certificate that ends: an engine that takes over shows the new one.
import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import {
  NETWORK_KEY,
  RSA_CERTIFICATE,
  RSA_KEY,
  SERVER_CERTIFICATE,
} from '../fakes/network-certificates.ts'
import { startEngineChild } from '../harness/engine-child.ts'
import { openRunbook } from '../harness/runbook.ts'
import { until } from '../harness/until.ts'

const SHOW = 'openssl s_client -connect HOST:PORT </dev/null | openssl x509 -noout -enddate'

/** The end of a certificate as openssl prints it. */
function endOf(pem: string): string {
  return 'notAfter=' + new X509Certificate(pem).validTo
}

test('a certificate is replaced, and the engine that takes over shows its end', async (t) => {
  const book = openRunbook('certificate-expired')
  const place = t.testdir()
  const files = { cert: join(place, 'engine.crt'), key: join(place, 'engine.key') }
  const put = (cert: string, key: string): void => {
    writeFileSync(files.cert, cert)
    writeFileSync(files.key, key)
  }
  put(RSA_CERTIFICATE, RSA_KEY)
  const environment = { SVC_ENGINE_TLS_CERT: files.cert, SVC_ENGINE_TLS_KEY: files.key }
  const first = await startEngineChild(t, { environment })
  const values = { 'HOST:PORT': '127.0.0.1:' + first.port }
  t.match((await book.run(SHOW, { values })).output, endOf(RSA_CERTIFICATE))

  put(SERVER_CERTIFICATE, RSA_KEY)
  const refused = startEngineChild(t, { environment })
  await t.rejects(refused, /SVC_ENGINE_TLS/, 'a key of another certificate is refused by name')
  put(SERVER_CERTIFICATE, NETWORK_KEY)
  // The command is this script with this option, in a process that the test can end.
  book.tick('npm run engine -- --take-over')
  let loaded = false
  const taking = startEngineChild(t, {
    port: first.port,
    directory: first.directory,
    environment,
    arguments: ['--take-over'],
    onOutput: (output) => {
      loaded = output.includes('waiting until no other process holds the journal')
    },
  })
  await until(() => loaded)
  t.match((await book.run(SHOW, { values })).output, endOf(RSA_CERTIFICATE))
  first.child.kill('SIGTERM')
  t.equal(await first.exited, 0)
  await taking
  t.match((await book.run(SHOW, { values })).output, endOf(SERVER_CERTIFICATE))
  t.same(book.left(), [])
})
