// ISO 8583 links of a front door before two shards: one link carries messages for both, and stays
// where an engine ends.
import { test } from 'tap'
import { PAN } from '../harness/engine.ts'
import { isoPurchase, management, openLink } from '../harness/iso-link.ts'
import { file, perFile } from '../harness/per-file.ts'
import { twoShards } from '../harness/two-shards.ts'
import { until } from '../harness/until.ts'

/** Each test leaves both engines running. */
const shared = perFile(() => twoShards(file))

const BY_NUMBER = { pan: PAN, exp_month: 12, exp_year: 2030 }

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
