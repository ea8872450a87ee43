// Which certificates of a PostgreSQL server are taken, where the setting lists several hosts.
import type { ConnectionOptions, PeerCertificate } from 'node:tls'
import { test } from 'tap'
import { takeDatabaseTls } from '../../shared/database-tls.ts'

function problemOf(hosts: readonly string[], name: string, subjectaltname: string): unknown {
  const address = new URL('postgres://' + hosts[0] + '/svc?sslrootcert=system')
  const taken = takeDatabaseTls(address, hosts)
  const options = taken.ok ? (taken.value as ConnectionOptions) : {}
  const certificate = { subject: { CN: 'other' }, subjectaltname } as PeerCertificate
  return (options.checkServerIdentity?.(name, certificate) as { code?: string } | undefined)?.code
}

test('a certificate fits a numeric host of the list, and no name that nobody listed', (t) => {
  const hosts = ['10.0.0.1', '10.0.0.2', 'standby.example']
  const cases: [string, string, string | undefined][] = [
    ['localhost', 'IP Address:10.0.0.1', undefined],
    ['localhost', 'IP Address:10.0.0.2', undefined],
    ['localhost', 'IP Address:10.0.0.3', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['localhost', 'DNS:localhost', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['standby.example', 'DNS:standby.example', undefined],
    ['standby.example', 'IP Address:10.0.0.1', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ]
  for (const [name, certificate, code] of cases)
    t.equal(problemOf(hosts, name, certificate), code, name + ' ' + certificate)
  t.end()
})
