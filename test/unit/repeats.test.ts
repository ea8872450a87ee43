// A message that the network repeats and marks as a repeat: one answer for both, whichever of the
// two came first.
import { test } from 'tap'
import { MESSAGE_KINDS, NOTIFICATION_KINDS } from '../../shared/schemas/network-message.ts'
import { LineRig } from '../harness/line-rig.ts'

const ASKS = { configCache: { program: { realtime: true, endpoint_id: 'we_1' } } } as const

test('a repeat gets the answer of its first, and leaves no trace', (t) => {
  for (const kind of MESSAGE_KINDS) {
    const rig = new LineRig()
    const message = rig.message(kind)
    const first = rig.send(kind, message)
    t.equal(rig.send(kind, { ...message, is_repeat: true }).text, first.text, kind)
    rig.restart('snapshot')
    t.equal(rig.send(kind, { ...message, is_repeat: true }).text, first.text, kind)
    t.equal(rig.entries().length, 1)
    t.equal(rig.lastDecision().message.isRepeat, false)
  }
  t.end()
})

test('a repeat without its first is decided, and the late first gets the same answer', (t) => {
  for (const kind of MESSAGE_KINDS) {
    const rig = new LineRig()
    const message = rig.message(kind)
    const usual = new LineRig().send(kind, message)
    const repeat = rig.send(kind, { ...message, is_repeat: true })
    t.equal(repeat.text, usual.text, kind)
    t.equal(rig.lastDecision().message.isRepeat, true)
    rig.restart('journal')
    t.equal(rig.send(kind, message).text, repeat.text, kind)
    t.equal(rig.entries().length, 1)
  }
  t.end()
})

test('a notification is recalled by its transaction when its answer is forgotten', (t) => {
  for (const kind of NOTIFICATION_KINDS) {
    const rig = new LineRig()
    rig.send('authorization')
    const message = rig.message(kind, { amount_cents: 10 })
    const first = rig.send(kind, message)
    rig.passDays(3)
    t.equal(rig.send(kind, { ...message, is_repeat: true }).text, first.text, kind)
  }
  t.end()
})

test('the tenant is asked once: about the first, or about the repeat if the first never came', (t) => {
  for (const is_repeat of [false, true]) {
    const rig = new LineRig(ASKS)
    const message = rig.message('authorization')
    const asked = rig.send('authorization', { ...message, is_repeat })
    const again = rig.send('authorization', { ...message, is_repeat: !is_repeat })
    t.equal(rig.questions.length, 1)
    const { transaction } = JSON.parse(String(rig.questions[0])).data
    t.match(transaction, { message: { is_repeat }, authorization_request: { attempt: 1 } })
    rig.asked.shift()?.({ approve: true })
    t.match(asked.answer, { approved: true })
    t.equal(again.text, asked.text)
  }
  t.end()
})
