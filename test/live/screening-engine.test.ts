// A person found on a list cannot pay: a real engine declines the next authorization, until a
// review.

import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'tap'
import { tx } from '../../api/database/transaction.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { createServer } from '../../api/http/server.ts'
import { rescreenJob } from '../../api/issuing/cardholders/index.ts'
import { createScreener } from '../../api/issuing/sanctions/screener.ts'
import { ensureDerivationRoot } from '../../scripts/start/seed/derivation-root.ts'
import { systemClock } from '../../shared/clock.ts'
import { SEAL_CONTEXTS } from '../../shared/keyring.ts'
import { send, testServices } from '../harness/api.ts'
import { link } from '../harness/drain.ts'
import { ENGINE_KEYS, NETWORK_SECRET, newMessage, sealed, startEngine } from '../harness/engine.ts'
import { runJob } from '../harness/jobs.ts'
import { seedOperator } from '../harness/operator.ts'
import { patientClock } from '../harness/patient-clock.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { seedTenant } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'

test('a hit by changed lists or a new name declines; a dismissal approves again', async (t) => {
  const { sql, url: databaseUrl } = await openTestDatabase(t)
  await tx(sql, (inner) => ensureDerivationRoot(inner, ENGINE_KEYS))
  await sql`
    insert into network_keys (id, network, environment, sealed_secret, created_at)
    values ('nk_1', 'simnet', 'sandbox', ${sealed(SEAL_CONTEXTS.networkSecret, NETWORK_SECRET)}, 0)`
  const { cardholderId, cardId, keys } = await seedTenant(sql, 'sandbox')
  await sql`update cardholders set name = 'Octavia Brandywine' where id = ${cardholderId}`
  const engine = await startEngine(t, { unattached: true })
  const socketPath = join(engine.directory, 'engine.sock')
  const started = link(t, databaseUrl, { socketPath } as Parameters<typeof link>[2])
  await until(() => started.state().attached)
  const client = createEngineClient({ socketPath, clock: patientClock })
  const server = createServer(
    testServices({ sql, client, masterKeys: ENGINE_KEYS, clock: systemClock }),
  )
  t.teardown(async () => {
    server.server.closeAllConnections()
    await server.close()
    await client.close()
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const base = 'http://127.0.0.1:' + (server.server.address() as AddressInfo).port
  const operator = await seedOperator(sql)
  const dismissAll = async (): Promise<void> => {
    const open = await sql`select id from sanctions_alerts where status = 'open'`
    for (const { id } of open) {
      const path = '/operator/v1/sanctions_alerts/' + id + '/review'
      const answer = await send(base + path, 'POST', {
        key: operator,
        body: { decision: 'dismiss' },
      })
      t.equal(answer.status, 200, answer.text)
    }
  }
  const pay = () => engine.purchase(newMessage({ card: { token: 'tok_' + cardId } }))
  t.match(await pay(), { approved: true })

  const entry = { id: 'x:1', kind: 'sanctions', birthDates: [], program: 'SDGT' } as const
  const screener = createScreener([{ ...entry, names: ['BRANDYWINE, Octavia'] }], 'v1')
  const lists = { current: () => screener, changedAt: () => 1 }
  t.ok((await runJob(rescreenJob(lists), { sql, now: systemClock.nowMs() })) > 0)
  // This hit waits for no engine; the link informs it.
  await until(async () => !(await pay()).approved)
  t.match(await pay(), { approved: false, decline_reason: 'cardholder_inactive' })

  await dismissAll()
  t.match(await pay(), { approved: true }, 'as soon as the review is answered')
  const renamed = await send(base + '/v1/cardholders/' + cardholderId, 'PATCH', {
    key: keys.write,
    body: { name: 'Haldor Jaskulski' },
  })
  t.match(renamed, { status: 200, body: { frozen_by: 'sanctions' } })
  t.match(await pay(), { approved: false }, 'as soon as the change is answered')
  await dismissAll()
  t.match(await pay(), { approved: true })
})
