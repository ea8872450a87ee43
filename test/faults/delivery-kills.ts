// Row 3: dispatcher, api and PostgreSQL are killed in turns while events are recorded and
// delivered, each during a template change that is on its way to passes. The received events are
// compared with the committed ones.
import { randomUUID } from 'node:crypto'
import { tx } from '../../api/database/transaction.ts'
import { recordEvent } from '../../api/webhooks/events/index.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { openWebhookReceiver } from '../fakes/webhook-receiver.ts'
import { until } from '../harness/until.ts'
import { Random } from '../simulation/random.ts'
import { compareDeliveries, type Watched } from './delivery-witness.ts'
import type { FaultRun, Findings } from './fault.ts'
import { type Stack, startStack } from './stack.ts'
import { openTemplateChange } from './template-change.ts'

/**
 * Five attempts follow closely, so that the endpoint that always fails is disabled again and again.
 */
const RETRY_DELAYS = '0,100ms,100ms,100ms,100ms'
const RECORD_PAUSE_MS = 25
/** Upper bound of recorded events: a slow machine gets no more to do than a quick one. */
const RECORDED_PER_KILL = 60
const ENABLE_PAUSE_MS = 800
const CALL_MS_MAX = 10_000
const AGAIN_MS = 50
const CALL_PAUSE_MS = 250
/** A kill should hit any moment of a part of the change, also on a busy machine. */
const PART_MS = 100
/** Attempts of an event that the flaky endpoint refuses. */
const REFUSALS = 2

const KINDS = ['dispatcher', 'api', 'postgres'] as const

export async function killDeliveryUnderLoad(t: FaultRun): Promise<Findings> {
  const random = new Random(3)
  const receiver = await openWebhookReceiver()
  t.teardown(() => receiver.close())
  const stack = await startStack(t, {
    dispatcher: true,
    environment: { SVC_WEBHOOK_RETRY_DELAYS: RETRY_DELAYS },
  })
  const slowly = () => ({ status: 200, delayMs: random.below(60) })
  receiver.reply('/steady', slowly)
  receiver.reply('/filtered', slowly)
  receiver.reply('/flaky', (_count, { headers }) =>
    Number(String(headers['svc-attempt'])[0]) <= REFUSALS ? { status: 500 } : slowly(),
  )
  receiver.reply('/dead', () => ({ status: 500, delayMs: random.below(20) }))
  const watched: Watched[] = []
  for (const path of ['/steady', '/filtered', '/flaky', '/dead']) {
    const eventTypes = path === '/filtered' ? ['card.suspended'] : null
    const url = receiver.url + path
    const body = eventTypes === null ? { url } : { url, event_types: eventTypes }
    const made = await call(stack, 'POST', '/v1/webhook_endpoints', body)
    watched.push({ path, id: made.id, secret: made.secret ?? '', eventTypes })
  }
  const change = await openTemplateChange(stack, (...wanted) => call(stack, ...wanted))

  const end = new AbortController()
  const load = Promise.all([
    recordEvents(stack, RECORDED_PER_KILL * t.effort.kills, end.signal),
    suspendAndResume(stack, end.signal),
    enableAgain(stack, watched.at(-1)?.id ?? '', end.signal),
  ])
  for (let kill = 0; kill < t.effort.kills; kill++) {
    await sleep(100 + random.below(600))
    await change.movesOn()
    await sleep(random.below(PART_MS))
    const kind = KINDS[kill % KINDS.length]
    if (kind === 'postgres') await stack.killPostgres(() => sleep(random.below(500)))
    else {
      const part = kind === 'api' ? stack.apiProcess : stack.dispatcherProcess
      await part.kill()
      await part.start()
    }
    t.say('kill ' + (kill + 1) + ', ' + kind + ': ' + receiver.at('/steady').length + ' arrived')
  }
  await sleep(300)
  end.abort()
  const [recorded, called] = await load
  t.say('the load is over')
  await change.completed()
  t.say('the last change is complete')
  await until(async () => (await unsettled(stack)) === 0)
  const compared = await compareDeliveries(stack.sql, receiver, watched)
  const injected =
    t.effort.kills +
    ' kills; ' +
    recorded +
    ' events recorded, ' +
    called +
    ' calls; ' +
    compared.counts
  const { problems, notices } = compared
  problems.push(...(await change.compare()))
  if (notices === 0) problems.push('the endpoint that always fails was never disabled')
  return { problems, injected }
}

interface Called {
  id: string
  secret?: string
}

/** A write of the tenant, repeated under its key until it is answered. */
async function call(stack: Stack, method: string, path: string, body: object): Promise<Called> {
  const headers = {
    Authorization: 'Bearer ' + stack.secrets.keys.write,
    'Content-Type': 'application/json',
    'Idempotency-Key': randomUUID(),
  }
  for (;;) {
    const answer = await fetch(stack.apiUrl + path, {
      method,
      headers,
      signal: AbortSignal.timeout(CALL_MS_MAX),
      body: JSON.stringify(body),
    }).catch(() => null)
    const text = await answer?.text().catch(() => null)
    if (answer?.ok && typeof text === 'string') return JSON.parse(text)
    const again =
      answer === null || answer.status >= 429 || text === null || text?.includes('in_use') === true
    if (!again) throw new Error(method + ' ' + path + ': ' + answer?.status + ' ' + text)
    await sleep(AGAIN_MS)
  }
}

/**
 * Records events of both lanes, and returns how many commits succeeded as far as the client knows.
 */
async function recordEvents(stack: Stack, most: number, signal: AbortSignal): Promise<number> {
  let recorded = 0
  for (let n = 0; n < most && !signal.aborted; n++) {
    const event = {
      tenantId: stack.secrets.tenant_id,
      environment: 'sandbox',
      type: n % 3 === 0 ? ('cardholder.created' as const) : ('card.activated' as const),
      data: { card: { id: 'card_' + n } },
      resourceId: 'card_' + n,
      now: systemClock.nowMs(),
    }
    await tx(stack.sql, (inner) => recordEvent(inner, event)).then(
      () => {
        recorded += 1
      },
      // PostgreSQL is down, or went down during a commit: the rows at the end decide.
      () => sleep(AGAIN_MS),
    )
    await sleep(RECORD_PAUSE_MS)
  }
  return recorded
}

/** The api records events too, in the transactions of what it changes. */
async function suspendAndResume(stack: Stack, signal: AbortSignal): Promise<number> {
  const path = '/v1/cards/' + stack.card('load_plain_1').id
  let called = 0
  for (; !signal.aborted; called += 2) {
    await call(stack, 'POST', path + '/suspend', {})
    await call(stack, 'POST', path + '/resume', {})
    await sleep(CALL_PAUSE_MS)
  }
  return called
}

/** The owner of the endpoint that always fails enables it again and again. */
async function enableAgain(stack: Stack, endpointId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(ENABLE_PAUSE_MS, signal)
    if (!signal.aborted)
      await call(stack, 'PATCH', '/v1/webhook_endpoints/' + endpointId, { status: 'enabled' })
  }
}

/** Number of events without fan-out, and of deliveries that are neither held nor ended. */
async function unsettled({ sql }: Stack): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select (select count(*) from event_outbox) + (
      select count(*) from deliveries where state = 'pending' or lease_token is not null
    ) as count`
  return row.count
}
