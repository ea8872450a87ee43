// The Node release with the last security fixes that svc needs, and a sentence about an older one.
import type { Logger } from './log.ts'

/** The security release of 2026-10-21: TLS host name checks, Brotli, dns.resolve. */
const SECURE = [22, 23, 4] as const

/** A sentence about a Node without the last security fixes; null for one that has them. */
export function nodeBehind(version: string): string | null {
  const parts = version.replace('v', '').split('.').map(Number)
  const at = SECURE.findIndex((part, index) => parts[index] !== part)
  if (at === -1 || (parts[at] ?? 0) > (SECURE[at] ?? 0)) return null
  return (
    'Node ' +
    version.replace('v', '') +
    ' lacks the security release of 2026-10-21: install Node ' +
    SECURE.join('.') +
    ' or later of its line where it is to be had.'
  )
}

/** Warns once, at the start of a process. */
export function warnOfOldNode(log: Pick<Logger, 'warn'>): void {
  const behind = nodeBehind(process.version)
  if (behind !== null) log.warn({ node: process.version }, behind)
}
