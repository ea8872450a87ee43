// PostgreSQL is away, hangs, or commits and does not say it, in each step of a payment: on a real
// node, API, engine and drain. A payment is paid once, each event exists once, and answers stand.
import { hash } from 'node:crypto'
import { t as suite, type Test, test } from 'tap'
import { DatabaseWatchdog, databaseSpeaks } from '../../api/database/database-watchdog.ts'
import { openPool } from '../../api/database/pool.ts'
import { hasAnvil } from '../../scripts/chain-peer/anvil.ts'
import type { SentFields } from '../../scripts/holder-peer/passkey.ts'
import { systemClock } from '../../shared/clock.ts'
import { type DatabaseLine, openDatabaseLine } from '../fakes/database-line.ts'
import type { Answer } from '../harness/api.ts'
import { paidOnce } from '../harness/paid-once.ts'
import { SHOP } from '../harness/payments.ts'
import { file } from '../harness/per-file.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { happens, until } from '../harness/until.ts'
import { openHolder, startWithdrawals } from '../harness/withdrawals.ts'

const MINUTE_MS = 60_000
const FUNDED_CENTS = 100_000
/** How often each fault is played; SVC_TEST_ROUNDS asks for more. */
const ROUNDS = Number(process.env['SVC_TEST_ROUNDS'] ?? 1)
/** No round of the settler that lands a batch commits more often. */
const LANDING_COMMITS_MAX = 4
const STEPS = ['authorize', 'confirm', 'capture'] as const
type Step = (typeof STEPS)[number]
/** Transactions that each call commits under its key. */
const COMMITS: { readonly [name in Step]: number } = { authorize: 2, confirm: 1, capture: 2 }

interface Faulted {
  t: Test
  name: Step
  /** Texts that the transactions of the call send, and those of no other work. */
  marks: readonly string[]
}

/** Makes one call while the fault stands; returns its answer, null where the line was cut. */
type Fault = (
  line: DatabaseLine,
  call: () => Promise<Answer>,
  of: Faulted,
) => Promise<Answer | null>

const FAULTS: { [name: string]: Fault } = {
  async away(line, call) {
    line.turn('away')
    const answer = await call()
    line.turn('open')
    return answer
  },
  /** Statements that were given up are executed once the server goes on. */
  async hung(line, call) {
    line.turn('hung')
    const answer = await call()
    line.turn('open')
    return answer
  },
}
for (let commit = 1; commit <= Math.max(...Object.values(COMMITS)); commit++)
  FAULTS['the answer of commit ' + commit + ' lost'] = async (line, call, { t, name, marks }) => {
    line.cutAt(commit, marks)
    const answer = await call().catch(() => null)
    t.equal(!line.isArmed, commit <= COMMITS[name], 'the cut of commit ' + commit + ' of ' + name)
    line.cutAt(0)
    return answer
  }

if (!hasAnvil) suite.comment('A chain needs anvil, which npm has for Linux x64 only.')
else {
  const { url: directUrl, sql: seen } = await openTestDatabase(file)
  const line = await openDatabaseLine(file, directUrl)
  const sql = openPool(line.url, { max: 5, applicationName: 'svc-test' })
  file.teardown(() => sql.end({ timeout: 1 }))
  const pulse = new DatabaseWatchdog({ clock: systemClock, ask: () => databaseSpeaks(line.url) })
  const stand = await startWithdrawals(file, { pulse }, { url: line.url, sql })
  const { at, api } = stand
  const own = await openHolder(stand, FUNDED_CENTS)
  const payee = await api.seedPayee()
  /** Calls so far: each has another amount and another key. */
  let calls = 0
  let cents = 0
  const signed = new Map<string, SentFields>()

  const begin = (amount_cents: number, key: string): Promise<Answer> => {
    const terms = { payment_account_id: own.id, settlement_account_id: payee, amount_cents }
    return api.post('payments', terms, { 'idempotency-key': 'authorize ' + key })
  }
  const step = {
    authorize: (_id: string, key: string) => begin(100 + calls, key),
    confirm: async (id: string, key: string) => {
      const [row] = await seen<{ hash: Buffer }[]>`
        select approval_hash as hash from payments where id = ${id}`
      // A repeat has the same bytes; the passkey would sign other ones.
      const sent = signed.get(id) ?? own.passkey.assert(row?.hash ?? Buffer.alloc(32))
      signed.set(id, sent)
      return api.post('payments/' + id + '/confirm', sent, { 'idempotency-key': 'confirm ' + key })
    },
    capture: (id: string, key: string) =>
      api.post('payments/' + id + '/capture', {}, { 'idempotency-key': 'capture ' + key }),
  } satisfies { [Name in Step]: (id: string, key: string) => Promise<Answer> }

  /** The answer of a call that may find the service on its way back. */
  const answered = async (t: Test, call: () => Promise<Answer>, what: string): Promise<Answer> => {
    let answer: Answer | null = null
    const came = await happens(async () => {
      answer = await call().catch(() => null)
      return answer !== null && answer.status < 300
    })
    t.ok(came, what + ': ' + (answer as Answer | null)?.text)
    return answer as unknown as Answer
  }

  /** The key of a call, and the hash under which it begins. */
  const marksOf = (key: string): string[] => {
    const name = [api.tenant.tenantId, 'sandbox', key].join(' ')
    return [key, hash('sha256', name, 'hex')]
  }

  /** A payment whose step meets the fault, the other steps without one. */
  const play = async (t: Test, faulty: Step, fault: Fault, key: string): Promise<string> => {
    calls += 1
    let id = ''
    for (const name of STEPS) {
      const call = () => step[name](id, key)
      const of = { t, name, marks: marksOf(name + ' ' + key) }
      const cut = name === faulty ? await fault(line, call, of).catch(() => null) : null
      const first = await answered(t, call, key + ' ' + name)
      const again = await answered(t, call, key + ' ' + name + ' again')
      t.equal(again.body.id, first.body.id, 'the repeat reads the same payment')
      if (cut !== null && cut.status < 300) t.equal(cut.body.id, first.body.id)
      if (cut !== null && cut.status >= 300) t.equal(cut.body.error.code, 'dependency_unavailable')
      id = first.body.id
    }
    cents += 100 + calls
    t.match((await api.get('payments/' + id)).captures, { length: 1 }, 'captured once')
    return id
  }

  const settled = async (t: Test, ids: readonly string[]): Promise<void> => {
    at.clock.nowMs = Math.max(at.clock.nowMs, systemClock.nowMs())
    await until(async () => {
      await at.settle().catch(() => undefined)
      const [open] = await seen`select 1 from payments where status <> 'captured'`
      return open === undefined
    })
    for (const id of ids)
      t.same(
        (await seen`select type from events where resource_id = ${id} order by seq`).map(
          ({ type }) => String(type).slice('payment.'.length),
        ),
        ['authorized', 'needs_confirmation', 'confirmed', 'captured'],
      )
    const [made] = await seen`select count(*) as all from payments`
    t.equal(made?.['all'], calls, 'one payment for each key')
    const world = { payer: { ...own, tenant: api.tenant, cardholderId: '' }, at }
    await paidOnce(t, { ...world, payee: { id: payee, address: SHOP, tenant: api.tenant } })
    t.match(await api.operate('GET', '/chains/sandbox'), {
      body: { stopped: null, exceptions: [] },
    })
  }

  for (const [name, fault] of Object.entries(FAULTS))
    test('PostgreSQL ' + name + ' in each call of a payment', async (t) => {
      const ids: string[] = []
      for (let round = 0; round < ROUNDS; round++)
        for (const faulty of STEPS)
          ids.push(await play(t, faulty, fault, [name, faulty, round].join(' ')))
      await settled(t, ids)
    })

  test('PostgreSQL away, hung or cut while a batch lands', async (t) => {
    const none: Fault = (_line, call) => call()
    const ids = [await play(t, 'capture', none, 'before ten minutes')]
    await at.round()
    await at.mine(3)
    line.turn('away')
    for (let minute = 0; minute < 10; minute++) {
      at.clock.nowMs += MINUTE_MS
      await t.rejects(at.round(), 'the settler tries again')
    }
    line.turn('open')
    await settled(t, ids)

    ids.push(await play(t, 'capture', none, 'before a hang'))
    await at.round()
    await at.mine(3)
    line.turn('hung')
    const round = at.round().catch(() => undefined)
    await until(() => line.kept > 0)
    line.turn('open')
    await round
    await settled(t, ids)

    for (let commit = 1; commit <= LANDING_COMMITS_MAX; commit++) {
      ids.push(await play(t, 'capture', none, 'before a lost commit ' + commit))
      await at.round()
      await at.mine(3)
      line.cutAt(commit)
      await at.round().catch(() => undefined)
      const wasCut = !line.isArmed
      t.comment('commit ' + commit + (wasCut ? ' was cut' : ' never came'))
      if (commit === 1) t.ok(wasCut, 'a round that lands a batch commits')
      line.cutAt(0)
      await settled(t, ids)
    }
  })

  test('the engine holds what the database holds, to the cent', async (t) => {
    const rest = FUNDED_CENTS - cents
    const more = await answered(t, () => begin(rest + 1, 'one cent more'), 'more than the rest')
    t.equal(more.body.status, 'risk_declined')
    const whole = await answered(t, () => begin(rest, 'the rest'), 'the rest')
    t.equal(whole.body.status, 'needs_confirmation')
  })
}
