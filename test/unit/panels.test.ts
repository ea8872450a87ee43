// The panels of a page as calls of the API that have a limit of time.
import { test } from 'tap'
import { openCaller } from '../../api/dashboard/calls.ts'
import { call } from '../../api/dashboard/page.ts'

test('a late panel says so, and one beside it is shown', async (t) => {
  const asked: AbortSignal[] = []
  const { ask, made } = openCaller(async (address, init) => {
    if (!String(address).endsWith('/v1/programs')) return Response.json({ object: 'list' })
    if (init?.signal) asked.push(init.signal)
    return new Promise<Response>(() => undefined)
  }, 50)
  const answers = await ask({ late: call('listPrograms', {}), cards: call('listCards', {}) })
  t.same(answers.cards, { ok: true, value: { object: 'list' } })
  t.match(answers.late, { ok: false, problem: { status: 0, code: 'late', message: /too long/ } })
  t.equal(made.length, 2)
})
