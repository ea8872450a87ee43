// Row 41: the api is killed inside a money call, at each of its steps. The repeat under the same
// Idempotency-Key reads the same, each event exists once, and the engine holds what the database
// holds, to the cent.
import { rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Answer, send } from '../harness/api.ts'
import { freePorts } from '../harness/free-ports.ts'
import { openAccount, seedPayee, silentChain } from '../harness/payments.ts'
import { happens } from '../harness/until.ts'
import type { FaultRun, Findings } from './fault.ts'
import { type Stack, startStack } from './stack.ts'

const CENTS = 10
const FUNDED_CENTS = 1_000_000
const DECIDE = Buffer.from('POST /decide')
/** Bytes of the transaction that concludes an authorization. */
const CONCLUDING = Buffer.from('payment.authorized')
const COMMITTED = Buffer.from('COMMIT\0')

const POINTS = ['begun', 'answered', 'concluding', 'committed'] as const
type Point = (typeof POINTS)[number]

/** The moment to kill at; null between two kills. */
interface Trap {
  point: Point | null
  spring(): void
}

/** As often as the effort says, at each point. */
export async function killApiUnderPayments(t: FaultRun): Promise<Findings & { kills: number }> {
  const trap: Trap = { point: null, spring: () => undefined }
  const [apiPort = 0] = await freePorts(1)
  const chainFile = join(tmpdir(), 'svc-chain-' + apiPort + '.json')
  const socket = join(tmpdir(), 'svc-trap-' + apiPort + '.sock')
  writeFileSync(chainFile, JSON.stringify(silentChain()))
  t.teardown(() => {
    for (const path of [chainFile, socket]) rmSync(path, { force: true })
  })
  const environment = {
    SVC_CHAIN_SANDBOX: chainFile,
    SVC_API_PORT: String(apiPort),
    SVC_PUBLIC_URL: 'http://localhost:' + apiPort,
    SVC_ENGINE_SOCKET: socket,
  }
  const stack = await startStack(t, {
    environment,
    engineEnvironment: (directory) => ({ SVC_ENGINE_SOCKET: join(directory, 'engine.sock') }),
    prepare: (directory) => trapEngine(t, trap, { socket, engine: join(directory, 'engine.sock') }),
    databaseFor: (url) => trapDatabase(t, trap, url),
  })
  const setting = await openSetting(stack, environment.SVC_PUBLIC_URL)
  const problems: string[] = []
  let kills = 0
  for (let round = 0; round < t.effort.kills; round++) {
    for (const point of POINTS) {
      problems.push(...(await killAt({ stack, setting, trap }, point, round)))
      kills += 1
      t.say('kill ' + kills + ', ' + point)
    }
  }
  await stack.drained()
  problems.push(...(await compare(stack, setting, kills)))
  const injected = kills + ' kills of the api, at ' + POINTS.join(', ')
  return { injected, problems: problems.slice(0, 20), kills }
}

interface PaymentSetting {
  /** Begins a payment of the one account; rejects where the api does not answer. */
  authorize(cents: number, idempotencyKey: string): Promise<Answer>
}

async function openSetting(stack: Stack, url: string): Promise<PaymentSetting> {
  const { sql, secrets, engine: client } = stack
  const programId = secrets.programs['plain'] ?? ''
  const tenant = { tenantId: secrets.tenant_id, environment: 'sandbox', programId } as const
  const post = (path: string, body: object, headers: { [name: string]: string } = {}) =>
    send(url + '/v1/' + path, 'POST', { key: secrets.keys.write, body, headers })
  const payee = await seedPayee(sql, tenant)
  const account = await openAccount({ url, sql, tenant, post, client }, FUNDED_CENTS)
  return {
    authorize: (cents, idempotencyKey) =>
      post(
        'payments',
        {
          ...{ payment_account_id: account.id, settlement_account_id: payee, amount_cents: cents },
        },
        { 'idempotency-key': idempotencyKey },
      ),
  }
}

interface World {
  stack: Stack
  setting: PaymentSetting
  trap: Trap
}

/** One call that the kill cuts off, and its repeats. */
async function killAt(
  { stack, setting, trap }: World,
  point: Point,
  round: number,
): Promise<string[]> {
  const key = 'kill-' + point + '-' + round
  const sprung = new Promise<void>((resolve) => {
    trap.spring = () => {
      trap.point = null
      process.kill(stack.apiProcess.pid, 'SIGKILL')
      resolve()
    }
  })
  trap.point = point
  const cut = await setting.authorize(CENTS, key).catch(() => null)
  if (cut !== null) return [key + ': the call was answered with ' + cut.status + ' before the kill']
  await sprung
  await stack.apiProcess.exited
  await stack.apiProcess.start()
  let first: Awaited<ReturnType<PaymentSetting['authorize']>> | null = null
  const answered = await happens(async () => {
    first = await setting.authorize(CENTS, key).catch(() => null)
    return first?.status === 201
  })
  if (!answered || first === null) return [key + ': the repeat is not answered']
  const again = await setting.authorize(CENTS, key)
  const { text } = first as { text: string }
  return again.text === text ? [] : [key + ': two repeats read differently']
}

/** Each payment once, each event once, and the engine's holds are those of the database. */
async function compare(stack: Stack, setting: PaymentSetting, kills: number): Promise<string[]> {
  const { sql } = stack
  const problems: string[] = []
  const [payments] = await sql<{ all: number; confirmable: number; cents: number }[]>`
    select count(*) as all, count(*) filter (where status = 'needs_confirmation') as confirmable,
      sum(amount_cents)::bigint as cents from payments`
  if (payments?.all !== kills || payments.confirmable !== kills)
    problems.push(kills + ' calls made ' + JSON.stringify(payments))
  const twice = await sql<{ id: string; type: string; count: number }[]>`
    select resource_id as id, type, count(*) as count from events
    where type in ('payment.authorized', 'payment.needs_confirmation')
    group by 1, 2 having count(*) <> 1`
  problems.push(...twice.map((row) => 'not one event: ' + JSON.stringify(row)))
  const [held] = await sql<{ cents: number }[]>`
    select (sum(balance) / 10000)::bigint as cents from ledger_accounts where kind = 'held'`
  if (held?.cents !== payments?.cents) problems.push('the ledger holds ' + held?.cents)
  const rest = FUNDED_CENTS - kills * CENTS
  for (const [cents, expected] of [
    [rest + 1, 'risk_declined'],
    [rest, 'needs_confirmation'],
  ] as const) {
    const { text } = await setting.authorize(cents, 'rest-' + cents)
    const { status } = JSON.parse(text) as { status: string }
    if (status !== expected) problems.push(cents + ' more cents are ' + status)
  }
  return problems
}

/** Connects both sockets and lets the trap look at each piece; false keeps the piece back. */
function relay(
  [client, upstream]: readonly [Socket, Socket],
  { sent, answered }: { sent(bytes: Buffer): boolean; answered(bytes: Buffer): boolean },
): void {
  for (const socket of [client, upstream]) {
    socket.on('error', () => {})
    socket.on('close', () => {
      client.destroy()
      upstream.destroy()
    })
  }
  client.on('data', (bytes: Buffer) => {
    if (sent(bytes)) upstream.write(bytes)
  })
  upstream.on('data', (bytes: Buffer) => {
    if (answered(bytes)) client.write(bytes)
  })
}

/** A socket before the engine's: its client is killed before or after a decision. */
async function trapEngine(
  t: FaultRun,
  trap: Trap,
  { socket, engine }: { socket: string; engine: string },
): Promise<void> {
  const server = createServer((client) => {
    let asked = false
    relay([client, connect(engine)], {
      sent(bytes) {
        asked = bytes.includes(DECIDE)
        if (!asked || trap.point !== 'begun') return true
        trap.spring()
        return false
      },
      answered() {
        if (!asked || trap.point !== 'answered') return true
        trap.spring()
        return false
      },
    })
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  t.teardown(() => void server.close())
}

/** A port before PostgreSQL: its client is killed inside a transaction, or before it hears. */
async function trapDatabase(t: FaultRun, trap: Trap, databaseUrl: string): Promise<string> {
  const target = new URL(databaseUrl)
  const server = createServer((client) => {
    let concluding = false
    relay([client, connect(Number(target.port), target.hostname)], {
      sent(bytes) {
        concluding ||= trap.point === 'committed' && bytes.includes(CONCLUDING)
        if (trap.point !== 'concluding' || !bytes.includes(CONCLUDING)) return true
        trap.spring()
        return false
      },
      answered(bytes) {
        if (!concluding || trap.point !== 'committed' || !bytes.includes(COMMITTED)) return true
        trap.spring()
        return false
      },
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the trap has no port')
  const through = new URL(databaseUrl)
  through.hostname = '127.0.0.1'
  through.port = String(address.port)
  return through.href
}
