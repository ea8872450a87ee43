// Rows of a job are worked on in lanes: one that fails keeps no other waiting, and is told.
import { test } from 'tap'
import { doneOf, inLanes } from '../../api/jobs/lanes.ts'
import type { Logger } from '../../shared/log.ts'

type Row = { at: number; tenantId: string; environment: 'sandbox' }

const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ at, tenantId: 'ten_' + at, environment: 'sandbox' as const },
  }))

function start() {
  const said: unknown[] = []
  const log = { error: (details: object) => said.push(details) } as unknown as Logger
  const stop = new AbortController()
  return { said, stop, run: { log, signal: stop.signal } }
}

test('a row that fails is told, and the others are worked on', async (t) => {
  const { said, run } = start()
  const seen: number[] = []
  const work = async ({ at }: Row): Promise<boolean> => {
    if (at === 0) throw new Error('poison')
    seen.push(at)
    return at % 2 === 0
  }
  const worked = await inLanes(rows(6), run, { count: 2, failed: 'failed', work })
  t.same(seen.sort(), [1, 2, 3, 4, 5])
  t.equal(worked.done, 2)
  t.match(said, [{ tenant_id: 'ten_0', environment: 'sandbox', err: { message: 'poison' } }])
  t.throws(() => doneOf({ done: 3, failures: [] }, worked), { message: 'poison' })
  t.equal(doneOf({ done: 3, failures: [] }, { done: 4, failures: [] }), 7)
})

test('rows that fail end nothing, however many they are', async (t) => {
  const { said, run } = start()
  const work = async ({ at }: Row): Promise<boolean> => {
    if (at < 9) throw new Error('poison')
    return true
  }
  const worked = await inLanes(rows(10), run, { count: 2, failed: 'failed', work })
  t.same([worked.done, worked.failures.length, said.length], [1, 9, 9])
})

test('no row begins once PostgreSQL is away, or the run is to end', async (t) => {
  const { run } = start()
  let begun = 0
  const fail = async (): Promise<boolean> => {
    begun += 1
    throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
  }
  const failed = await inLanes(rows(50), run, { count: 1, failed: 'failed', work: fail })
  t.same([begun, failed.failures.length], [5, 5])
  const { stop, run: ended } = start()
  let done = 0
  const work = async (): Promise<boolean> => {
    done += 1
    if (done === 3) stop.abort()
    return true
  }
  const worked = await inLanes(rows(50), ended, { count: 1, failed: 'failed', work })
  t.same([done, worked.done], [3, 3])
})
