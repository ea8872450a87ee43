// Turns of tenants in shared threads, and the threads themselves.
import sharp from 'sharp'
import { test } from 'tap'
import { FairQueue } from '../../api/passes/wallets/fair-queue.ts'
import { openWalletThreads } from '../../api/passes/wallets/threads.ts'
import { silentLog } from '../harness/engine-listener.ts'

function run(queue: FairQueue<number>, count: number): string[] {
  return Array.from({ length: count }, () => queue.next()?.tenantId ?? '')
}

test('a tenant waits only for running work, however much another tenant queued', async (t) => {
  const queue = new FairQueue<number>({ perTenant: 40, total: 100 })
  for (let upload = 0; upload < 40; upload++) t.equal(queue.add('greedy', upload), null)
  t.strictSame(run(queue, 2), ['greedy', 'greedy'])
  queue.add('other', 0)
  queue.add('third', 0)
  queue.ended('greedy')
  t.strictSame(run(queue, 2), ['other', 'third'])
  queue.ended('other')
  queue.ended('third')
  queue.add('other', 1)
  t.strictSame(run(queue, 2), ['other', 'greedy'], 'fewer under way, although it was served later')
})

test('tenants with equal work under way alternate, each in its own order', async (t) => {
  const queue = new FairQueue<number>({ perTenant: 3, total: 9 })
  for (const tenantId of ['a', 'b']) for (let item = 0; item < 3; item++) queue.add(tenantId, item)
  const served: string[] = []
  for (let next = queue.next(); next !== null; next = queue.next()) {
    served.push(next.tenantId + next.item)
    queue.ended(next.tenantId)
  }
  t.strictSame(served, ['a0', 'b0', 'a1', 'b1', 'a2', 'b2'])
})

test('one tenant fills its own part of the queue, and all tenants together the whole', async (t) => {
  const queue = new FairQueue<number>({ perTenant: 2, total: 3 })
  t.strictSame(
    [1, 2, 3].map((item) => queue.add('a', item)),
    [null, null, 3],
  )
  t.strictSame(
    [1, 2].map((item) => queue.add('b', item)),
    [null, 2],
  )
  t.equal(queue.next()?.item, 1)
  t.equal(queue.add('a', 4), null, 'a task that runs waits no more')
})

test('in a full queue the longest row gives its newest place to a tenant with fewer', (t) => {
  const queue = new FairQueue<string>({ perTenant: 40, total: 128 })
  const items = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => queue.add(name, name + index))
  const refused = ['a', 'b', 'c', 'd'].flatMap((name) => items(name, 40))
  t.same(
    refused.slice(0, 128).filter((item) => item !== null),
    [],
  )
  t.same(refused.slice(128, 132), ['a39', 'b39', 'c39', 'a38'])
  t.same(refused.slice(152, 154), ['d32', 'd33'], 'all four have equal parts')
  t.same([queue.add('e', 'e0'), queue.add('e', 'e1')], ['a31', 'b31'])
  t.end()
})

test('a small upload passes another tenant’s large ones, whose 43rd is refused', async (t) => {
  const threads = openWalletThreads({ apple: null }, silentLog)
  t.teardown(() => threads.close())
  const picture = async (side: number) =>
    sharp({ create: { width: side, height: side, channels: 3, background: '#123456' } })
      .png()
      .toBuffer()
  const [large, small] = await Promise.all([picture(1500), picture(50)])
  let finished = 0
  const uploads = Array.from({ length: 42 }, async () => {
    await threads.run('greedy', { kind: 'image', role: 'strip', bytes: large })
    finished += 1
  })
  await t.rejects(threads.run('greedy', { kind: 'image', role: 'strip', bytes: large }), {
    code: 'overloaded',
  })
  const read = await threads.run('other', { kind: 'image', role: 'icon', bytes: small })
  t.equal(read.ok, true)
  t.ok(finished <= 10, finished + ' of 42 were finished before')
  await Promise.all(uploads)
})
