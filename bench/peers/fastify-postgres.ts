// The peer with Fastify and PostgreSQL: a message is verified, validated, decided under row locks
// and answered when its decision is committed. Either as a transaction of three statements, or as
// one call of a function that does the same in the database.
import { fastify } from 'fastify'
import type { TransactionSql } from 'postgres'
import { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { type AuthorizationRequest, openBorder } from './authorization-request.ts'
import { takeSigned } from './fastify-listener.ts'
import { answerTo, type Kept, type Outcome, outcomeOf } from './outcome.ts'
import { openPeerPool } from './postgres-server.ts'
import { AUTHORIZE, valuesOf } from './statement.ts'
import { type BoundRow, judge } from './verdict.ts'
import { serveIn } from './workers.ts'

const { PEER_PORT, PEER_DATABASE, PEER_POOL, PEER_PROCESSES, PEER_WAY, PEER_SECRET, PEER_ROOT } =
  process.env
// Opens nothing before the first statement.
const sql = openPeerPool(PEER_DATABASE ?? '', Number(PEER_POOL))
const border = openBorder({
  secret: PEER_SECRET ?? '',
  root: Buffer.from(PEER_ROOT ?? '', 'hex'),
})
type Transaction = TransactionSql<{ bigint: number }>
const decide = PEER_WAY === 'function' ? decideByFunction : decideInTransaction

const server = fastify({ bodyLimit: 16 * 1024 })
takeSigned(server, border)
server.post<{ Body: NetworkMessage }>(
  '/v1/network/messages',
  { schema: { body: NetworkMessage } },
  async (request, reply) => {
    const authorization = border.requestOf(request.body)
    if (authorization === null) return reply.code(400).send({ error: 'not decided here' })
    const { content, amountCents } = authorization
    const outcome = await decide(authorization)
    reply.type('application/json')
    return answerTo({ id: request.body.id, content, amountCents }, outcome)
  },
)

async function decideByFunction(authorization: AuthorizationRequest): Promise<Outcome> {
  const [row] = await sql.unsafe<[Kept]>(AUTHORIZE, valuesOf(authorization), { prepare: true })
  return outcomeOf(row)
}

function decideInTransaction(authorization: AuthorizationRequest): Promise<Outcome> {
  return sql.begin(async (tx) => {
    const rows = await lockBound(tx, authorization)
    const reason = judge(authorization, rows)
    const { content, transactionId } = authorization
    const authorizationCode = reason === null ? authorization.authorizationCode : null
    const outcome = { content, transactionId, reason, authorizationCode }
    if (await record(tx, authorization, outcome, rows)) return outcome
    const [kept] = await tx<[Kept]>`
      select content, transaction_id, reason, authorization_code
      from decisions where message_id = ${authorization.messageId}`
    return outcomeOf(kept)
  }) as Promise<Outcome>
}

/**
 * Locks and returns the card with its program and holder, one row for each of the three that has a
 * policy; their spent amounts are ours until we commit.
 */
function lockBound(
  tx: Transaction,
  { token, fingerprint }: AuthorizationRequest,
): Promise<BoundRow[]> {
  const named = token === null ? tx`c.fingerprint = ${fingerprint}` : tx`c.token = ${token}`
  return tx<BoundRow[]>`
    select c.id as card_id, p.status as program_status, c.status, c.exp_month, c.exp_year, c.cvc_verifier, c.currency,
      h.status as cardholder_status, h.frozen, l.*, s.day, s.week, s.daily_cents as spent_daily,
      s.weekly_cents as spent_weekly, s.monthly_cents as spent_monthly, s.yearly_cents as spent_yearly,
      s.all_time_cents as spent_all_time
    from cards c
    join programs p on p.id = c.program_id
    join cardholders h on h.id = c.cardholder_id
    join policies l on l.subject_id in (c.program_id, c.cardholder_id, c.id)
    join spendings s on s.subject_id = l.subject_id
    where ${named}
    order by l.level
    for update of s`
}

/**
 * Records the decision, and adds the amount of an approval; false if the message was decided
 * before.
 */
async function record(
  tx: Transaction,
  q: AuthorizationRequest,
  { reason, transactionId, authorizationCode }: Outcome,
  rows: readonly BoundRow[],
): Promise<boolean> {
  const kept = tx`
    insert into decisions values (
      ${q.messageId}, ${q.content}, ${rows[0]?.card_id ?? null}, ${q.amountCents}, ${q.currency}, ${q.merchantId}, ${q.mcc},
      ${q.networkTransactionId}, ${new Date(q.receivedAtMs)}, ${transactionId}, ${reason}, ${authorizationCode}
    ) on conflict do nothing returning message_id`
  if (reason !== null) return (await kept).length === 1
  const { amountCents: amount, day, week } = q
  const recorded = await tx`
    with kept as (${kept}), spent as (
      update spendings s set
        daily_cents = case when s.day = ${day} then s.daily_cents else 0 end + ${amount},
        weekly_cents = case when s.week = ${week} then s.weekly_cents else 0 end + ${amount},
        monthly_cents = case when s.day / 100 = ${day} / 100 then s.monthly_cents else 0 end + ${amount},
        yearly_cents = case when s.day / 10000 = ${day} / 10000 then s.yearly_cents else 0 end + ${amount},
        all_time_cents = s.all_time_cents + ${amount},
        day = ${day},
        week = ${week}
      where s.subject_id in ${tx(rows.map(({ subject_id }) => subject_id))} and exists (select from kept)
    )
    select message_id from kept`
  return recorded.length === 1
}

await serveIn(Number(PEER_PROCESSES), async () => {
  // Every connection is there before the first message comes.
  await Promise.all(Array.from({ length: Number(PEER_POOL) }, () => sql`select pg_sleep(0.05)`))
  await server.listen({ host: '127.0.0.1', port: Number(PEER_PORT) })
})
