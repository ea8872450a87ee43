// A front door before two shards on one machine, without etcd: two engine processes, one
// PostgreSQL, messages of tenants of both. One ISO 8583 link carries messages for both, and stays
// where an engine ends.
import { test } from 'tap'
import { newBody, sendOnce } from '../harness/cluster-network.ts'
import { PAN } from '../harness/engine.ts'
import { isoPurchase, management, openLink } from '../harness/iso-link.ts'
import { file, perFile } from '../harness/per-file.ts'
import { twoShards } from '../harness/two-shards.ts'
import { until } from '../harness/until.ts'

const BY_NUMBER = { pan: PAN, exp_month: 12, exp_year: 2030 }

/** Each test leaves both engines running. */
const shared = perFile(() => twoShards(file))

test('one link carries messages of both shards, by token and by number', async (t) => {
  const { door, isoPort, tenantOf, tokenOf, numberCard, seqOf } = await shared()
  await numberCard('s2', PAN)
  const [one, two] = [await tokenOf(await tenantOf('s1')), await tokenOf(await tenantOf('s2'))]
  const link = await openLink(t, isoPort)
  t.match(await link.ask(management('301')), { mti: '0810', fields: { 39: '00' } }, 'an echo')
  const before = [await seqOf(0), await seqOf(1)]
  for (const card of [{ token: one }, { token: two }, BY_NUMBER])
    t.match(
      await link.ask(isoPurchase({ card, amount_cents: 700 })),
      { mti: '0110', fields: { 4: '000000000700', 39: '00', 38: /^\d{6}$/ } },
      'a purchase with ' + Object.keys(card),
    )
  t.equal((await seqOf(0)) - (before[0] ?? 0), 1)
  t.equal((await seqOf(1)) - (before[1] ?? 0), 2)
  const balance = isoPurchase({ kind: 'balance_inquiry', card: BY_NUMBER, amount_cents: 0 })
  const left = { 39: '00', 54: '0002840C000000008600' }
  t.match(await link.ask(balance), { mti: '0110', fields: left }, 'in the currency of the card')
  const nobody = isoPurchase({ card: { token: 'tok_nobody' }, amount_cents: 1 })
  t.match(await link.ask(nobody), { fields: { 39: '14' } }, 'an unknown card is declined')
  const faulty = await link.ask(isoPurchase({}, { 49: '000' }))
  t.match(faulty, { fields: { 39: '30', 44: '049' } }, 'the door itself refuses a field')
  t.match(await door.metrics(), /^svc_door_refused_total 1$/m)
  t.match(
    await door.metrics(),
    /^svc_open_connections\{port="iso8583"\} 1$/m,
    'its links are counted',
  )
})

test('a link needs its sign-on and survives the engine of its messages', async (t) => {
  const { isoPort, engines, start, tenantOf, tokenOf, lanesOf } = await shared()
  for (const shard of ['s1', 's2']) await lanesOf(t, shard)
  const token = await tokenOf(await tenantOf('s1'))
  const stranger = await openLink(t, isoPort, { signOn: false })
  const early = await stranger.ask(isoPurchase({ card: { token }, amount_cents: 1 }))
  t.match(early, { fields: { 39: '91' } }, 'nothing is decided before the sign-on')
  const link = await openLink(t, isoPort)
  const purchase = isoPurchase({ card: { token }, amount_cents: 1 })
  const first = await link.ask(purchase)
  t.match(first, { fields: { 39: '00' } })
  engines[0]?.child.kill('SIGKILL')
  await engines[0]?.exited
  const other = await tokenOf(await tenantOf('s2'))
  const meanwhile = await link.ask(isoPurchase({ card: { token: other }, amount_cents: 1 }))
  t.match(meanwhile, { fields: { 39: '00' } }, 'the other shard answers over the same link')
  const open = await link.ask(isoPurchase({ card: { token }, amount_cents: 1 }))
  t.match(open, { fields: { 39: '91' } }, 'no engine: the network stands in')
  await start(0)
  await until(async () => {
    const again = await link.ask(isoPurchase({ card: { token }, amount_cents: 1 }))
    return again.fields[39] === '00'
  })
  t.same(await link.ask(purchase), first, 'a repeat gets its first answer')
})

test('the door sends each message to the shard of its card', async (t) => {
  const { door, lanesOf, seqOf } = await shared()
  const [one, two] = [await lanesOf(t, 's1'), await lanesOf(t, 's2')]
  await one.network.deliver(newBody({ card: { token: 'tok_nobody' } }))
  const [unknown] = one.network.sent
  t.match(unknown?.answers[0], 'card_not_found', 'an unknown card is declined, not refused')
  const before = [await seqOf(0), await seqOf(1)]
  for (const lanes of [one, two]) lanes.start()
  await until(() => one.network.answered > 20 && two.network.answered > 20)
  for (const lanes of [one, two]) await lanes.stop()
  t.equal((await seqOf(0)) - (before[0] ?? 0), one.network.sent.length - 1)
  t.equal((await seqOf(1)) - (before[1] ?? 0), two.network.sent.length)
  t.same([...(await one.network.contradictions()), ...(await two.network.contradictions())], [])
  const page = await door.metrics()
  t.match(page, /^svc_door_unlocated_total [1-9]/m)
  t.match(page, /^svc_door_epoch\{shard="s2"\} 1$/m)
  t.match(page, /^svc_ready 1$/m)
})

test('a shard whose engine is killed costs the other one nothing', async (t) => {
  const { door, engines, start, lanesOf } = await shared()
  const [one, two] = [await lanesOf(t, 's1'), await lanesOf(t, 's2')]
  for (const lanes of [one, two]) lanes.start()
  await until(() => one.network.answered > 20 && two.network.answered > 20)
  engines[0]?.child.kill('SIGKILL')
  await engines[0]?.exited
  const answered = two.network.answered
  await until(() => two.network.answered > answered + 50)
  t.equal(two.network.refused.size, 0, 'the second shard refuses nothing')
  const page = await door.metrics()
  t.match(page, /^svc_door_reached\{shard="s1"\} 0$/m)
  t.match(page, /^svc_door_reached\{shard="s2"\} 1$/m)
  t.match(page, /^svc_ready 1$/m, 'the door stays ready for the other shard')
  await start(0)
  const back = one.network.answered
  await until(() => one.network.answered > back + 20)
  for (const lanes of [one, two]) await lanes.stop()
  t.same([...(await one.network.contradictions()), ...(await two.network.contradictions())], [])
})

test('an engine ends in order while a door is connected', async (t) => {
  const { engines, start, lanesOf } = await shared()
  const one = await lanesOf(t, 's1')
  one.start()
  await until(() => one.network.answered > 20)
  engines[0]?.child.kill('SIGTERM')
  t.equal(await engines[0]?.exited, 0)
  await start(0)
  const back = one.network.answered
  await until(() => one.network.answered > back + 20)
  await one.stop()
  t.same(await one.network.contradictions(), [])
})

test('a message of a group that moves waits for the next shard', async (t) => {
  const { sql, door, tenants, tokenOf, lanesOf, seqOf } = await shared()
  await (await lanesOf(t, 's1')).network.deliver(newBody({ card: { token: 'tok_nobody' } }))
  const [tenant] = tenants
  if (tenant === undefined) throw new Error('no tenant')
  const place = async (shard: string): Promise<void> => {
    await sql`
      update placements set shard = ${shard}
      where tenant_id = ${tenant.tenantId} and environment = 'sandbox'`
  }
  const { body } = newBody({ card: { token: await tokenOf(tenant) } })
  await place('-')
  await until(async () => (await sendOnce(door.port, body, 3000))?.status === 503)
  await place('s2')
  const before = await seqOf(1)
  await until(
    async () =>
      (await sendOnce(door.port, newBody({ card: { token: await tokenOf(tenant) } }).body, 3000))
        ?.status === 200,
  )
  t.ok((await seqOf(1)) > before, 'the second shard decided')
})
