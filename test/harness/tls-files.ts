// TLS for a listener under test: PEM texts are written to files and read as the engine reads them
// at its start.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTls, type Tls } from '../../engine/listeners/tls.ts'

export function writeTls(directory: string, pem: { cert: string; key: string }): Tls {
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  writeFileSync(cert, pem.cert)
  writeFileSync(key, pem.key)
  const read = readTls({
    SVC_ENGINE_TLS_CERT: cert,
    SVC_ENGINE_TLS_KEY: key,
    SVC_ENGINE_TLS_CLIENT_CA: null,
    SVC_ENGINE_TLS_CLIENTS: [],
  })
  if (!read.ok || read.value === null) throw new Error(JSON.stringify(read))
  return read.value
}
