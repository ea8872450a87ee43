// `npm run replay` beside a running engine: its journal is decided again with the versions that
// PostgreSQL kept.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { readConfig } from '../../api/engine-link/config-rows.ts'
import { COMPILED } from '../harness/compiled.ts'
import { newMessage, pushConfig, startEngine } from '../harness/engine.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { seedTenant } from '../harness/tenant.ts'

const SCRIPT = fileURLToPath(new URL('../../scripts/replay.ts', import.meta.url))

/**
 * A journal with payments of 10.00, 20.00 and 30.00, and one of 50.00 that a limit of 100.00 a day
 * declined.
 */
async function fourPayments(t: Parameters<typeof openTestDatabase>[0]) {
  const { sql, url } = await openTestDatabase(t)
  const { cardId } = await seedTenant(sql, 'sandbox')
  const types = ['program', 'cardholder', 'card', 'controls'] as const
  const configCache = await Promise.all(
    types.map((type) => readConfig(sql, type, { after: '', most: 10 })),
  )
  const engine = await startEngine(t)
  await pushConfig(engine, { more: configCache.flat() })
  const [{ token }] = await sql<[{ token: string }]>`select token from cards where id = ${cardId}`
  const ids: (string | null)[] = []
  for (const amount_cents of [1000, 2000, 3000, 5000]) {
    const answer = await engine.purchase(newMessage({ card: { token }, amount_cents }))
    ids.push(answer.transaction_id)
  }
  const [{ id: limit }] = await sql<[{ id: string }]>`
    select controls -> 0 -> 'limits' -> 0 ->> 'id' as id from controls where subject_id = ${cardId}`
  const run = (...words: string[]): Promise<{ code: number | null; out: string; said: string }> =>
    new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [SCRIPT, '--data-dir', engine.directory, ...words],
        { env: { ...COMPILED, DATABASE_URL: url } },
        (_error, out, said) => resolve({ code: child.exitCode, out, said }),
      )
    })
  return { ids, limit, run }
}

test('a replayed journal is equal, and another limit lists exactly its effects', async (t) => {
  const { ids, limit, run } = await fourPayments(t)
  const same = await run()
  t.match(same, { code: 0, out: '4 decisions, 4 identical.\n0 differ.\n' }, same.said)

  const lowered = JSON.parse((await run('--json', '--limit', limit + '=4000')).out)
  t.match(lowered, { decisions: 4, identical: 3, unknown: 0 })
  t.same(lowered.differences, [
    {
      seq: 3,
      transaction_id: ids[2],
      recorded: 'approved 3000',
      decided: 'declined limit_daily',
    },
  ])
  const raised = await run('--limit', limit + '=11000')
  t.equal(raised.code, 0)
  t.match(raised.out, /^4 decisions, 3 unchanged\.\n1 would change\.\n/)
  t.match(raised.out, ids[3] + '  declined limit_daily → approved 5000')
  const enough = await run('--limit', limit + '=10000')
  t.match(enough.out, '4 decisions, 4 unchanged.\n0 would change.\n')
})

test('an unknown or invalid limit is refused by name', async (t) => {
  const { limit, run } = await fourPayments(t)
  const strange = await run('--limit', limit + '=1', '--limit', 'lim_nobody=1')
  t.not(strange.code, 0)
  t.equal(strange.out, '')
  t.match(strange.said, 'No kept version of a spending control has this limit: lim_nobody\n')
  for (const words of ['lim_1', 'lim_1=-1', 'lim_1=1e3', 'lim_1=9999999999999999'])
    t.match((await run('--limit', words)).said, '--limit must be a limit’s id and minor units')
})
