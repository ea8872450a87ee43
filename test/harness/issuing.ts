// An API over a database that can issue cards, with the material that cards are made of.
import type { Sql } from '../../api/database/pool.ts'
import { encodeId } from '../../shared/id.ts'
import { deriveKeys, ROOT_BYTES, SEAL_CONTEXTS, seal, unseal } from '../../shared/keyring.ts'
import { type Answer, MASTER_KEYS, startTestApi, type TestApi } from './api.ts'

const ROOT = Buffer.alloc(ROOT_BYTES, 7)

/** The keyed hashes of that database. */
export const DERIVATION = deriveKeys(ROOT, encodeId)

export async function startIssuingApi(
  more: Parameters<typeof startTestApi>[0] = {},
): Promise<TestApi> {
  const api = await startTestApi(more)
  await seedRoot(api.sql)
  return api
}

/** Adds the root of the keyed hashes. */
export async function seedRoot(sql: Sql): Promise<void> {
  await sql`
    insert into derivation_root (id, sealed)
    values ('root', ${seal(MASTER_KEYS, SEAL_CONTEXTS.root, ROOT)}) on conflict do nothing`
}

export const ADDRESS = {
  name: 'Ada Lovelace',
  line1: '12 St James Square',
  city: 'London',
  postal_code: 'SW1Y 4JH',
  country: 'GB',
}

/** Issues a card and returns it as the API answered. */
export async function issue(
  api: TestApi,
  type: 'virtual' | 'physical',
  more: object = {},
): Promise<Answer['body']> {
  const shipping = type === 'physical' ? { shipping: ADDRESS } : {}
  const body = { cardholder_id: api.tenant.cardholderId, type, ...shipping, ...more }
  const answer = await api.call('POST', '/v1/cards', { key: api.tenant.keys.write, body })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body
}

export interface Printed {
  pan: string
  exp_month: number
  exp_year: number
  cvc: string
}

/** The number, expiry and CVC of a card. */
export async function printedOn(api: TestApi, cardId: string): Promise<Printed> {
  const [row] = await api.sql<{ sealed: string; month: number; year: number }[]>`
    select sealed_pan as sealed, exp_month as month, exp_year as year from cards where id = ${cardId}`
  const opened = unseal(MASTER_KEYS, SEAL_CONTEXTS.pan, row?.sealed ?? '')
  if (row === undefined || !opened.ok) throw new Error('no such card')
  const pan = opened.value.toString()
  const { month: exp_month, year: exp_year } = row
  return { pan, exp_month, exp_year, cvc: DERIVATION.cvc(pan, exp_month, exp_year) }
}
