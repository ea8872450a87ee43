// The answers and events of a tenant with one row of every kind in which API versions differ, under
// constant ids and times: the golden files of a version are these texts.
import type { Sql } from '../../api/database/pool.ts'
import { apiKeyHash, newApiKey } from '../../shared/api-key.ts'
import type { TestApi } from './api.ts'
import { drain } from './drained.ts'
import { decisionEntry } from './entries.ts'
import { SEEDED_AT_MS } from './tenant.ts'

const OWNER = { tenant_id: 'ten_golden', environment: 'sandbox', created_at: SEEDED_AT_MS }

/** Seeds a tenant pinned to that version. Returns its key. */
export async function seedGoldenTenant(sql: Sql, version: string): Promise<string> {
  const made = { ...OWNER, program_id: 'prog_golden' }
  const tenant = { id: 'ten_golden', name: 'T', api_version: version, created_at: SEEDED_AT_MS }
  await sql`insert into tenants ${sql(tenant)}`
  await sql`insert into programs ${sql({ id: 'prog_golden', name: 'P', status: 'active', ...OWNER })}`
  const holder = { ...made, name: 'Ada', status: 'active' }
  await sql`insert into cardholders ${sql({ id: 'ch_plain', ...holder })}`
  await sql`insert into cardholders
    ${sql({ id: 'ch_frozen', ...holder, frozen: true, frozen_reason: 'review' })}`
  await seedCards(sql, made)
  const key = newApiKey('secret', 'sandbox')
  await sql`insert into api_keys ${sql({
    ...OWNER,
    id: 'key_golden',
    role: 'secret',
    scope: 'write',
    hash: apiKeyHash(key),
    last4: key.slice(-4),
  })}`
  return key
}

async function seedCards(sql: Sql, made: { [name: string]: unknown }): Promise<void> {
  const card = {
    ...made,
    cardholder_id: 'ch_plain',
    type: 'virtual',
    sealed_pan: 'sealed',
    last4: '4242',
    exp_month: 1,
    exp_year: 2030,
    cvc_verifier: 'v',
    currency: 'USD',
  }
  const cards = [
    { id: 'card_active', status: 'active' },
    {
      id: 'card_suspended',
      status: 'suspended',
      suspended_by: 'tenant',
      suspend_reason: 'lost',
    },
    { id: 'card_terminated', status: 'terminated', terminate_reason: 'stolen' },
    { id: 'card_replacement', status: 'issued', replaces: 'card_terminated' },
  ]
  for (const one of cards) {
    const whole = { ...card, ...one, token: 'tok_' + one.id, fingerprint: 'f_' + one.id }
    await sql`insert into cards ${sql(whole as { [name: string]: unknown })}`
  }
}

/**
 * A transaction, and events of a card and of it; then every answer by its name. `headers` go with
 * each call.
 */
export async function goldenAnswers(
  api: TestApi,
  key: string,
  headers: { [name: string]: string } = {},
): Promise<Map<string, string>> {
  const [seeded] = await api.sql`select 1 from card_transactions where id = 'txn_golden'`
  if (seeded === undefined) {
    for (const verb of ['suspend', 'resume'])
      await api.call('POST', '/v1/cards/card_active/' + verb, { key })
    await drain(api.sql, goldenEntry())
  }
  const answers = new Map<string, string>()
  const keep = async (name: string, path: string): Promise<void> => {
    const answer = await api.call('GET', '/v1/' + path, { key, headers })
    if (answer.status !== 200) throw new Error(path + ' answered ' + answer.text)
    answers.set(name, fixedIds(answer.text))
  }
  for (const id of ['active', 'suspended', 'terminated', 'replacement'])
    await keep('card-' + id, 'cards/card_' + id)
  await keep('cards', 'cards')
  await keep('cardholder-plain', 'cardholders/ch_plain')
  await keep('cardholder-frozen', 'cardholders/ch_frozen')
  await keep('cardholders', 'cardholders')
  await keep('transaction', 'card_transactions/txn_golden')
  await keep('transactions', 'card_transactions')
  await keep('events', 'events')
  return answers
}

/**
 * Event ids are random; one of a transaction is derived from what the installation keeps secret.
 */
function fixedIds(text: string): string {
  return text.replace(/\bevt_[0-9a-z]{26}\b/g, 'evt_golden')
}

function goldenEntry() {
  const { card, message } = decisionEntry({})
  if (card === null) throw new Error('the entry of a test has a card')
  return decisionEntry({
    transactionId: 'txn_golden',
    requestId: 'areq_golden',
    message: { ...message, id: 'msg_golden' },
    card: {
      ...card,
      tenantId: OWNER.tenant_id,
      programId: 'prog_golden',
      cardholderId: 'ch_plain',
      cardId: 'card_active',
    },
  })
}
