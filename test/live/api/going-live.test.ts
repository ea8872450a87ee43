// A tenant goes live, end to end: over HTTP, with a real engine that decides.
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { createEngineClient } from '../../../api/engine-link/client.ts'
import { createServer } from '../../../api/http/server.ts'
import { ensureDerivationRoot } from '../../../scripts/start/seed/derivation-root.ts'
import { systemClock } from '../../../shared/clock.ts'
import { SEAL_CONTEXTS } from '../../../shared/keyring.ts'
import { type Answer, send, testServices } from '../../harness/api.ts'
import { link } from '../../harness/drain.ts'
import {
  ENGINE_KEYS,
  NETWORK_SECRET,
  newMessage,
  sealed,
  startEngine,
} from '../../harness/engine.ts'
import { seedOperator } from '../../harness/operator.ts'
import { patientClock } from '../../harness/patient-clock.ts'
import { seedSafeOwner } from '../../harness/person.ts'
import { openTestDatabase } from '../../harness/postgres.ts'
import { until } from '../../harness/until.ts'

const PERSON = {
  first_name: 'Grace',
  last_name: 'Hopper',
  date_of_birth: '1986-12-09',
  address: { line1: '1 Main St', city: 'Portland', postal_code: '97201', country: 'US' },
}

type Call = (method: string, path: string, body?: unknown) => Promise<Answer>

/** An installation for live, whose only person is its first operator. */
async function openInstallation(t: Test) {
  const { sql, url: databaseUrl } = await openTestDatabase(t)
  await tx(sql, (inner) => ensureDerivationRoot(inner, ENGINE_KEYS))
  await sql`
    insert into network_keys (id, network, environment, sealed_secret, created_at)
    values ('nk_1', 'simnet', 'live', ${sealed(SEAL_CONTEXTS.networkSecret, NETWORK_SECRET)}, 0)`
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
  const as =
    (key: string): Call =>
    (method, path, body) =>
      send(base + path, method, { key, ...(body !== undefined && { body }) })
  return { sql, engine, as, operator: as(await seedOperator(sql)) }
}

/** The answer's body; a refused call fails the test. */
async function done(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, text, body } = await answer
  if (status >= 300) throw new Error(status + ' ' + text)
  return body
}

test('a tenant goes live from KYB to its first authorization; its bank suspends and resumes it', async (t) => {
  const { sql, engine, as, operator } = await openInstallation(t)
  const acme = { name: 'Acme', legal_name: 'Acme GmbH', country: 'DE' }
  const { id: tenantId } = await done(operator('POST', '/operator/v1/tenants', acme))
  const tenantPath = '/operator/v1/tenants/' + tenantId
  const issue = (environment: string): Promise<Answer> =>
    operator('POST', tenantPath + '/api_keys', { environment })

  const sandbox = as((await done(issue('sandbox'))).secret)
  const played = await done(sandbox('POST', '/v1/programs', { name: 'Try' }))
  t.equal(played.status, 'active')
  t.match((await issue('live')).body.error, { code: 'kyb_not_approved' })

  await done(operator('POST', tenantPath + '/kyb/approve', {}))
  t.match((await issue('live')).body.error, { code: 'second_way_missing' })
  await seedSafeOwner(sql, tenantId)
  const live = as((await done(issue('live'))).secret)
  t.same((await done(live('GET', '/v1/programs'))).data, [], 'live begins with nothing')
  const program = await done(live('POST', '/v1/programs', { name: 'Fleet' }))
  t.equal(program.status, 'pending')
  const person = { program_id: program.id, ...PERSON }
  t.match((await live('POST', '/v1/cardholders', person)).body.error, {
    code: 'program_not_active',
    current_status: 'pending',
  })

  const programPath = '/operator/v1/programs/' + program.id
  t.equal((await live('POST', programPath + '/activate')).status, 404)
  await done(operator('POST', programPath + '/activate'))
  const cardholder = await done(live('POST', '/v1/cardholders', person))
  await done(
    operator('POST', '/operator/v1/cardholders/' + cardholder.id + '/kyc', {
      decision: 'approved',
    }),
  )
  const card = await done(
    live('POST', '/v1/cards', { cardholder_id: cardholder.id, type: 'virtual', currency: 'USD' }),
  )
  const pay = () => engine.purchase(newMessage({ card: { token: card.token } }))

  const approved = await pay()
  t.match(approved, { approved: true, response_code: '00', decline_reason: null })
  await until(
    async () =>
      (await live('GET', '/v1/card_transactions/' + approved.transaction_id)).status === 200,
  )

  const bank = { suspended_by: 'sponsor_bank', reason: 'Report is late' }
  await done(operator('POST', programPath + '/suspend', bank))
  t.match(await pay(), { approved: false, decline_reason: 'program_suspended' })
  t.match(
    (await live('POST', '/v1/cards', { cardholder_id: cardholder.id, type: 'virtual' })).body,
    {
      error: { code: 'program_not_active', current_status: 'suspended' },
    },
  )
  const nowhere = await live('POST', '/v1/programs/' + program.id + '/nothing', {})
  for (const path of [programPath + '/resume', '/v1/programs/' + program.id + '/resume']) {
    const refused = await live('POST', path, {})
    t.equal(refused.status, 404, path)
    t.same(
      { ...refused.body.error, request_id: null },
      { ...nowhere.body.error, request_id: null },
      'the tenant has no such call',
    )
  }
  const change = await live('PATCH', '/v1/programs/' + program.id, { status: 'active' })
  t.match(change.body.error, { code: 'parameter_unknown', param: 'status' })
  t.match(await pay(), { approved: false, decline_reason: 'program_suspended' })

  await done(operator('POST', programPath + '/resume'))
  t.match(await pay(), { approved: true })

  await done(operator('POST', tenantPath + '/suspend', bank))
  t.match(await pay(), { approved: false, decline_reason: 'program_suspended' })
  await done(operator('POST', tenantPath + '/resume'))
  t.match(await pay(), { approved: true })

  const { data: events } = await done(live('GET', '/v1/events?order=asc&resource_id=' + program.id))
  t.same(
    events.map(({ type }: { type: string }) => type),
    [
      'program.activated',
      'program.suspended',
      'program.resumed',
      'program.suspended',
      'program.resumed',
    ],
  )
  t.same(events.at(-1).data.program, await done(live('GET', '/v1/programs/' + program.id)))
  const [sent] = await sql`select count(*) as others from events where tenant_id <> ${tenantId}`
  t.equal(sent?.['others'], 0)
})
