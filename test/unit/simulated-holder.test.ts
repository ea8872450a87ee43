// The sandbox's holder as the api speaks to it.
import { test } from 'tap'
import { openSimulatedHolder } from '../../api/payments/simulation/index.ts'
import { type PeerAnswer, startPeerServer } from '../../scripts/peer-http.ts'
import { systemClock } from '../../shared/clock.ts'
import { until } from '../harness/until.ts'

const DONE: PeerAnswer = { status: 204, body: {} }

test('an answer counts for no link that was handed over before it', async (t) => {
  const calls: string[] = []
  let read: () => void = () => t.fail('no link arrived')
  const party = await startPeerServer(0, async ({ url }) => {
    calls.push(url)
    if (url === '/messages') await new Promise<void>((resolve) => (read = resolve))
    calls.push(url + ' done')
    return DONE
  })
  const holder = openSimulatedHolder(party.url, systemClock)
  t.teardown(async () => {
    await holder.close()
    await party.close()
  })
  holder.tellHolder('live', 'https://svc.test/confirm/live')
  holder.tellHolder('sandbox', 'https://svc.test/confirm/one')
  const answered = holder.ask('answers', { credential_id: 'c', answer: 'approve' })
  await holder.ask('tokens', { address: '0x', cents: 1 })
  await until(() => calls.includes('/messages'))
  t.notOk(calls.includes('/answers'))
  read()
  await answered
  t.same(
    calls.filter((call) => !call.startsWith('/tokens')),
    ['/messages', '/messages done', '/answers', '/answers done'],
  )
})
