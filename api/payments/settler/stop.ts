// Stops a line until an operator's word; authorizing goes on.
import { inLead, type Line } from './line.ts'
import { type Stop, saveStop } from './wallet-store.ts'

/** Records the reason, once. */
export async function stopLine(line: Line, stop: Omit<Stop, 'at'>): Promise<void> {
  const { chainId } = line.config
  const at = line.clock.nowMs()
  if (await inLead(line, (sql) => saveStop(sql, chainId, { ...stop, at })))
    line.log.error({ chain_id: chainId, ...stop }, 'settling stopped until an operator resumes it')
}
