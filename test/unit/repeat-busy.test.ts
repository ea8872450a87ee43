// Which answers of the service its own callers repeat, and how often.
import { test } from 'tap'
import { repeatBusy } from '../../scripts/repeat-busy.ts'

/** How often a caller asks a service that gives these answers, the last one for ever. */
async function asksOf(answers: { status: number; retryAfter?: string }[]) {
  let asked = 0
  const ask = async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)]
    const headers = new Headers(answer?.retryAfter ? { 'retry-after': answer.retryAfter } : {})
    return { status: answer?.status ?? 0, headers }
  }
  const { status } = await repeatBusy(ask, { repeatsMax: 3, firstMs: 0 })
  return { status, asked }
}

test('a busy answer is repeated, and one at a limit after its Retry-After', async (t) => {
  const limited = { status: 429, retryAfter: '0' }
  t.same(await asksOf([{ status: 503 }, limited, { status: 200 }]), { status: 200, asked: 3 })
  t.same(await asksOf([limited]), { status: 429, asked: 4 })
  t.same(await asksOf([{ status: 503 }]), { status: 503, asked: 4 })
})

test('a refusal, and a limit that ends late or says no time, is the answer', async (t) => {
  const late = { status: 429, retryAfter: '300' }
  for (const answer of [late, { status: 429 }, { status: 422 }, { status: 500 }])
    t.same(await asksOf([answer, { status: 200 }]), { status: answer.status, asked: 1 })
})
