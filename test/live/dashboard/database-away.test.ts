// PostgreSQL hangs, and is away: pages answer and say so, and the feed goes on without loss.
import { test } from 'tap'
import { openSession } from '../../../api/access/sessions/index.ts'
import { tx } from '../../../api/database/transaction.ts'
import { systemClock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { decidedEntry, drain } from '../../harness/drained.ts'
import { seedRoot } from '../../harness/issuing.ts'
import { openOnOwnPostgres } from '../../harness/own-postgres.ts'
import { seedPerson } from '../../harness/person.ts'
import { openStream, type Stream, total } from '../../harness/stream.ts'
import { seedTenant } from '../../harness/tenant.ts'
import { until } from '../../harness/until.ts'
import { visit } from '../../harness/visit.ts'

const states = ({ told }: Stream): string[] =>
  told.flatMap(({ event, data }) => (event === 'state' ? [data.state] : []))

test('31: while PostgreSQL hangs or is away pages say so, and the feed loses nothing', async (t) => {
  const own = await openOnOwnPostgres()
  const { sql } = own
  await seedRoot(sql)
  const tenant = await seedTenant(sql, 'sandbox')
  const { identityId } = await seedPerson(sql, tenant.tenantId)
  const now = systemClock.nowMs()
  const session = await tx(sql, (inner) =>
    openSession(inner, { identityId, factor: 'passkey', address: null, agent: 'test', now }),
  )
  const cookie = 'svc=' + session
  const root = '/d/' + tenant.tenantId + '/sandbox'
  const seed = async (count: number): Promise<void> => {
    const at = systemClock.nowMs()
    const entries = Array.from({ length: count }, () =>
      decidedEntry(tenant, { id: newId('txn', at), receivedAtMs: at, amountCents: 1000 }),
    )
    await drain(sql, ...entries)
  }
  const stream = await openStream(own.url + root + '/live/stream', '', { headers: { cookie } })
  await until(() => stream.told.length === 1)
  await seed(5)
  await until(() => total(stream) === 5)
  t.equal((await visit(own, root + '/overview', { cookie })).status, 200)

  own.pause()
  await until(() => states(stream).at(-1) === 'waiting')
  const hung = await visit(own, root + '/overview', { cookie })
  const text = await hung.text()
  t.ok([200, 503].includes(hung.status), 'a page answers: ' + hung.status)
  t.ok(
    hung.status === 503 || /took too long|did not answer/.test(text),
    hung.status + ' says what is missing',
  )
  t.notMatch(text, 'All well', 'nothing is called well that nobody knows')
  own.resume()
  await until(() => states(stream).at(-1) === 'going_on')
  await seed(5)
  await until(() => total(stream) === 10)

  await own.stop()
  await until(() => states(stream).at(-1) === 'waiting')
  const away = await visit(own, root + '/overview', { cookie })
  t.notMatch(await away.text(), 'All well')
  await own.restart()
  await until(() => states(stream).at(-1) === 'going_on')
  await seed(5)
  await until(() => total(stream) === 15)
  t.same(states(stream), ['waiting', 'going_on', 'waiting', 'going_on'])
  t.notOk(
    stream.told.some(({ event }) => event === 'gap'),
    'nothing was skipped',
  )
  t.equal(stream.ended, false, 'one stream lasted through both')
  const well = await visit(own, root + '/overview', { cookie })
  t.equal(well.status, 200)
  stream.close()
})
