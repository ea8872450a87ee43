// Step 5: sends stored bytes to every RPC, again every few seconds until they are final. Bytes that
// no RPC took are sent again as well: the outcome of a send is only known by a receipt.

import { type Attempt, saveSent } from './attempt-store.ts'
import type { Line } from './line.ts'
import { inLead } from './line.ts'
import { bytesOf } from './sign.ts'

/** When each hash was sent last by this process, by the monotonic clock. */
export type SentAt = Map<string, number>

/** The next look at these attempts sends them, however recently they were sent. */
export function sendAtOnce(sentAt: SentAt, attempts: readonly Attempt[]): void {
  for (const attempt of attempts) sentAt.delete(nameOf(attempt))
}

function nameOf({ hash }: Attempt): string {
  return hash.toString('hex')
}

/** Sends the attempt if its time has come. `head`: the block that counts for patience. */
export async function sendAttempt(
  line: Line,
  attempt: Attempt,
  { sentAt, head }: { sentAt: SentAt; head: number },
): Promise<void> {
  if (attempt.signed.length === 0) return
  const name = nameOf(attempt)
  const now = line.clock.monotonicNs() / 1e6
  const last = sentAt.get(name)
  if (last !== undefined && now - last < line.pace.resendMs) return
  sentAt.set(name, now)
  const { taken, failures } = await line.chain.send(bytesOf(attempt))
  line.counts.sends += 1
  for (const failure of failures) {
    const reason = failure.kind === 'refused' ? failure.message : failure.reason
    line.log.warn({ host: failure.host, nonce: attempt.nonce, reason }, 'an RPC took no bytes')
  }
  if (taken.length === 0 || attempt.sentBlock !== null) return
  const { nonce, attempt: number } = attempt
  await inLead(line, (sql) =>
    saveSent(sql, line.config.chainId, { nonce, attempt: number, block: head }),
  )
}
