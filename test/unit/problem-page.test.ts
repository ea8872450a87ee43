// The page in place of a call that failed says whether something was changed.
import { test } from 'tap'
import type { Problem, Visit } from '../../api/dashboard/page.ts'
import { problemPage } from '../../api/dashboard/problem-page.ts'

const VISIT = {
  environment: 'sandbox',
  member: { role: 'owner', tenantName: 'New Ltd' },
  to: (path: string) => '/d/ten_1/sandbox' + path,
} as Visit

function textOf(problem: Partial<Problem>): { title: string; text: string } {
  const whole = { status: 503, code: 'x', message: 'It failed.', param: null, requestId: null }
  const { title, content } = problemPage(VISIT, { ...whole, detail: {}, ...problem })
  return { title, text: content.text }
}

test('a change that is stored and not confirmed is no change that did not happen', (t) => {
  const { title, text } = textOf({
    code: 'dependency_unavailable',
    detail: { resource_id: 'card_01m7wd7tg0e029yz4s1qgw58en' },
  })
  t.equal(title, 'Stored, and not confirmed yet')
  t.match(text, '/d/ten_1/sandbox/cards/card_01m7wd7tg0e029yz4s1qgw58en')
  t.match(text, 'a form acts once')
  t.notMatch(text, 'Nothing was changed')
  t.end()
})

test('a refusal changed nothing, and a call without an answer may have', (t) => {
  t.match(textOf({ status: 409, code: 'cardholder_not_approved' }).text, 'Nothing was changed')
  t.match(textOf({ status: 503, code: 'dependency_unavailable' }).text, 'Nothing was changed')
  const { text } = textOf({ status: 0, code: 'no_answer' })
  t.notMatch(text, 'Nothing was changed')
  t.match(text, 'A form acts once')
  t.end()
})
