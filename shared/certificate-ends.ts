// Ends of validity of the certificates that this process read, for its metrics page: a certificate
// that runs out stops a port, and an operator renews it before.
import type { X509Certificate } from 'node:crypto'
import { familyLines } from './metric-text.ts'

const ends = new Map<string, number>()

/** Shows the end of a certificate under the setting that names its file. */
export function noteCertificate(setting: string, { validTo }: X509Certificate): void {
  ends.set(setting, Date.parse(validTo) / 1000)
}

/** The lines of a metrics page; a process without certificates shows no sample. */
export function certificateLines(): string[] {
  return familyLines(
    {
      name: 'svc_certificate_end_seconds',
      type: 'gauge',
      help: 'End of validity of a certificate as a Unix time, by setting.',
    },
    Array.from(ends, ([name, s]) => 'svc_certificate_end_seconds{setting="' + name + '"} ' + s),
  )
}
