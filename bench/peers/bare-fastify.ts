// The peer of the API: Fastify and postgres.js with nothing around them, as a developer would write
// these three calls without limits, versions, scopes or a log. The same statements, the same JSON.
// Its keys stand in a file.
import { readFileSync } from 'node:fs'
import { type FastifyRequest, fastify } from 'fastify'
import postgres, { type Row } from 'postgres'

const { BARE_PORT, BARE_KEYS, DATABASE_URL } = process.env
const tenantOf = new Map<string, string>(
  JSON.parse(readFileSync(BARE_KEYS ?? '', 'utf8')) as [key: string, tenantId: string][],
)
const sql = postgres(DATABASE_URL ?? '', { max: 16, fetch_types: false })
const server = fastify()

interface Bound {
  scope: string
  controls: { id: string; state: string; limits: { [field: string]: string | number | null }[] }[]
}

type Asked = FastifyRequest & {
  tenant: string
  params: { id: string }
  query: { limit?: string }
  body: { metadata: { [key: string]: string } }
}

const columns = sql`
  c.id, c.environment, c.program_id, c.cardholder_id, c.type, c.status, c.suspend_reason,
  c.terminate_reason, c.token, c.last4, c.exp_month, c.exp_year, c.currency, c.created_at,
  c.suspended_by, c.replaces, c.external_id, c.metadata, c.details ->> 'name_on_card' as name_on_card,
  c.shipping, (
    select coalesce(jsonb_agg(jsonb_build_object('scope', k.scope, 'controls', k.controls)), '[]')
    from controls k
    where k.subject_id in (c.id, c.cardholder_id, c.program_id)
      and k.tenant_id = c.tenant_id and k.environment = c.environment
  ) as controls`

function cardOf(row: Row) {
  const controls = (row['controls'] as Bound[]).flatMap((bound) =>
    bound.controls
      .filter((control) => control.state === 'active')
      .map((control) => ({ ...control, scope: bound.scope })),
  )
  return {
    id: row['id'],
    object: 'card',
    created: Math.floor(Number(row['created_at']) / 1000),
    livemode: row['environment'] === 'live',
    type: row['type'],
    status: row['status'],
    token: row['token'],
    last4: row['last4'],
    exp_month: row['exp_month'],
    exp_year: row['exp_year'],
    currency: row['currency'],
    program_id: row['program_id'],
    cardholder_id: row['cardholder_id'],
    external_id: row['external_id'],
    metadata: row['metadata'],
    name_on_card: row['name_on_card'],
    shipping: row['shipping'],
    limits: controls.flatMap((control) =>
      control.limits.map((limit) => ({
        id: limit['id'],
        scope: control.scope,
        interval: limit['interval'],
        amount_cents: limit['amount_cents'],
        count: limit['count'],
        currency: limit['currency'],
        time_zone: limit['time_zone'],
        rolling_seconds: limit['rolling_seconds'],
      })),
    ),
    spending_control_ids: controls.map((control) => control.id),
    replaces: row['replaces'],
    suspended_by: row['suspended_by'],
    suspend_reason: row['suspend_reason'],
    terminate_reason: row['terminate_reason'],
  }
}

server.addHook('onRequest', async (request, reply) => {
  const tenant = tenantOf.get((request.headers.authorization ?? '').slice('Bearer '.length))
  if (tenant === undefined) return reply.code(401).send({ error: 'unauthorized' })
  ;(request as Asked).tenant = tenant
})

server.get('/v1/cards', async (asked) => {
  const request = asked as Asked
  const limit = Math.min(Number(request.query.limit ?? 25), 100)
  const rows = await sql`
    select ${columns} from cards c
    where c.tenant_id = ${request.tenant} and c.environment = 'sandbox'
    order by c.id desc limit ${limit + 1}`
  const page = rows.slice(0, limit)
  const more = rows.length > limit
  return { data: page.map(cardOf), has_more: more, next_cursor: more ? page.at(-1)?.['id'] : null }
})

server.get('/v1/cards/:id', async (asked, reply) => {
  const request = asked as Asked
  const [row] = await sql`
    select ${columns} from cards c
    where c.tenant_id = ${request.tenant} and c.environment = 'sandbox' and c.id = ${request.params.id}`
  return row === undefined ? reply.code(404).send({ error: 'not found' }) : cardOf(row)
})

server.patch('/v1/cards/:id', async (asked, reply) => {
  const request = asked as Asked
  const { tenant } = request
  const { id } = request.params
  const key = String(request.headers['idempotency-key'])
  return sql.begin(async (tx) => {
    const claimed = await tx`
      insert into bare_answers (tenant_id, key) values (${tenant}, ${key}) on conflict do nothing`
    if (claimed.count === 0) {
      const [kept] =
        await tx`select body from bare_answers where tenant_id = ${tenant} and key = ${key}`
      return kept?.['body']
    }
    const updated = await tx`
      update cards set metadata = metadata || ${tx.json(request.body.metadata)}
      where tenant_id = ${tenant} and environment = 'sandbox' and id = ${id}`
    if (updated.count === 0) return reply.code(404).send({ error: 'not found' })
    const [row] = await tx<[Row]>`select ${columns} from cards c where c.id = ${id}`
    const card = cardOf(row)
    await tx`
      update bare_answers set body = ${tx.json(card)} where tenant_id = ${tenant} and key = ${key}`
    return card
  })
})

await sql`
  create table if not exists bare_answers (
    tenant_id text, key text, body jsonb, primary key (tenant_id, key)
  )`
await server.listen({ host: '127.0.0.1', port: Number(BARE_PORT) })
process.send?.({ ready: true })
process.once('SIGTERM', () => process.exit())
