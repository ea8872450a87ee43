// A PostgreSQL of a test that speaks TLS, with a certificate of the test's authority.
import { chownSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPool } from '../../api/database/pool.ts'
import { TENANT_CERTIFICATES, TENANT_KEY } from '../fakes/tenant-certificates.ts'
import type { TestPostgres } from './postgres.ts'

/** Makes the server speak TLS. */
export async function serveTls(server: TestPostgres): Promise<void> {
  const data = join(server.directory, 'data')
  const { uid, gid } = statSync(data)
  const files = { 'server.crt': TENANT_CERTIFICATES.good, 'server.key': TENANT_KEY }
  for (const [name, pem] of Object.entries(files)) {
    writeFileSync(join(data, name), pem, { mode: 0o600 })
    chownSync(join(data, name), uid, gid)
  }
  const sql = openPool(server.url, { max: 1, applicationName: 'svc-test' })
  await sql`alter system set ssl = on`
  await sql`select pg_reload_conf()`
  await sql.end({ timeout: 1 })
}
