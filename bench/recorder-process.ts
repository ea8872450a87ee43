// Records events as the API does, each in a transaction of its own, at a rate, the tenants in turn.
// It gets one Recording from its parent and answers with the number of events.
import { openPool } from '../api/database/pool.ts'
import { tx } from '../api/database/transaction.ts'
import { recordEvent } from '../api/webhooks/events/index.ts'
import type { Recording } from './recorder.ts'

const CONNECTIONS = 4

process.once('message', (recording) => {
  void record(recording as Recording).then((count) => process.send?.(count))
})

async function record({ databaseUrl, tenantIds, rate, seconds, type }: Recording): Promise<number> {
  const sql = openPool(databaseUrl, { max: CONNECTIONS, applicationName: 'bench-recorder' })
  const startedAt = performance.now()
  const made: Promise<unknown>[] = []
  while (performance.now() < startedAt + seconds * 1000) {
    const due = ((performance.now() - startedAt) / 1000) * rate
    while (made.length < due) made.push(one(made.length))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(made)
  await sql.end()
  return made.length

  function one(count: number): Promise<unknown> {
    const now = Date.now()
    const data = { card: { id: 'card_' + count, status: 'active', last4: '4242', type: 'virtual' } }
    const tenantId = tenantIds[count % tenantIds.length] ?? ''
    const resourceId = 'card_' + count
    return tx(sql, (inner) =>
      recordEvent(inner, { tenantId, environment: 'sandbox', type, data, resourceId, now }),
    )
  }
}
