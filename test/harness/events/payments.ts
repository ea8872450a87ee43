// Causes of the events of payments and settlement: the API, a holder's telephone, the chain, the
// token's issuer and an operator.
import { approveChallenge, codesAround } from '../../../scripts/approve-call.ts'
import { PAGE_PATIENCE, repeatBusy } from '../../../scripts/repeat-busy.ts'
import { type Document, valueAt } from '../../../scripts/simulate/api.ts'
import { done } from '../../../scripts/simulate/own-tenant.ts'
import { got, Payer, posted } from '../../../scripts/simulate/payments/payer.ts'
import type { Stage } from '../../../scripts/simulate/stage.ts'
import type { EventWorld } from './event-table.ts'

/** `address` is of a shop that is paid once a day. */
export async function playPayments(world: EventWorld, address: string): Promise<void> {
  const { stage } = world
  const [payer, blocked] = [await Payer.open(stage), await Payer.open(stage)]
  if (payer === null || blocked === null) throw new Error('the service has no chain')
  await playHolder(world, payer)
  await playLanding(world, payer)
  await playRefusal(world, blocked)
  await playManual(world, payer, address)
}

async function batchOf(stage: Stage, id: string): Promise<string> {
  const { captures } = await got(stage, '/v1/payments/' + id)
  return String((captures as Document[]).at(-1)?.['settlement_batch_id'])
}

async function playHolder({ table }: EventWorld, payer: Payer): Promise<void> {
  const ask = async (cents: number): Promise<string> => String((await payer.ask(cents))['id'])
  await payer.next('deny')
  await table.caused(
    ['payment.authorized', 'payment.needs_confirmation', 'payment.voided'],
    'POST payments, the holder denies',
    () => ask(1000),
  )
  await table.caused(['payment.risk_declined'], 'POST payments beyond the funds', () => ask(10_001))
  await payer.next('approve')
  await table.caused(['payment.confirmed'], 'the holder approves by passkey', () => ask(800))
}

async function playLanding({ stage, table }: EventWorld, payer: Payer): Promise<void> {
  const id = await payer.confirmed(900)
  await table.caused(['payment.captured'], 'the chain settles a capture', async () => {
    await payer.capture(id, 900)
    return id
  })
  const other = await payer.confirmed(600)
  await table.caused(['payment.refunded'], 'POST payments/refund, settled', async () => {
    await payer.call(id, 'refund', { amount_cents: 400 })
    await payer.capture(other, 600)
    return id
  })
  await table.caused(['payment.settlement_batch_completed'], 'a batch is final', () =>
    batchOf(stage, other),
  )
}

async function playRefusal({ stage, table }: EventWorld, payer: Payer): Promise<void> {
  const id = await payer.confirmed(700)
  await payer.block(true)
  await table.caused(['payment.failed'], 'the chain refuses a blocked account', async () => {
    await payer.capture(id, 700)
    return id
  })
  await table.caused(['payment.settlement_batch_failed'], 'nothing of a batch lands', () =>
    batchOf(stage, id),
  )
  await payer.block(false)
  await table.caused(['payment.settlement_retry_requested'], 'an operator retries', async () => {
    done(await stage.api.operate('POST', '/operator/v1/payments/' + id + '/retry', {}))
    return id
  })
}

/** A shop of a daily schedule waits until an operator closes its batch. */
async function playManual(
  { stage, table }: EventWorld,
  payer: Payer,
  address: string,
): Promise<void> {
  const shop = await ownerApproved(stage, '/v1/settlement_accounts', {
    ...{ address, name: 'Daily Books', mcc: '5942', country: 'US' },
    schedule: { interval: 'daily', hour: (new Date().getUTCHours() + 12) % 24 },
  })
  await payer.next('approve')
  const terms = { payment_account_id: payer.accountId, settlement_account_id: shop['id'] }
  const { id } = await posted(stage, '/v1/payments', { ...terms, amount_cents: 300 })
  await payer.reaches(String(id), 'confirmed')
  await payer.capture(String(id), 300)
  const tenant = stage.surroundings.sandbox.tenant_id
  await table.caused(['payment.settlement_manually_triggered'], 'an operator settles', async () => {
    const path = '/operator/v1/tenants/' + tenant + '/settlement_runs'
    done(await stage.api.operate('POST', path, { environment: 'sandbox' }))
    return batchOf(stage, String(id))
  })
}

/** A call with the admin's key that the owner of the sandbox approves on the page. */
async function ownerApproved(stage: Stage, path: string, body: Document): Promise<Document> {
  const { api_url, auth_url = '', keys, owner } = stage.surroundings.sandbox
  if (owner === undefined) throw new Error('the sandbox has no owner')
  const call = async (headers: { [name: string]: string }) => {
    const send = () =>
      fetch(api_url + path, {
        method: 'POST',
        headers: {
          authorization: 'Bearer ' + keys.admin,
          'content-type': 'application/json',
          ...headers,
        },
        body: JSON.stringify(body),
      })
    const answer = await repeatBusy(send, PAGE_PATIENCE)
    return (await answer.json()) as Document
  }
  const refused = await call({})
  const url = String(valueAt(refused, 'error', 'challenge_url'))
  for (const code of codesAround(owner.totp_secret, stage.clock.nowMs()))
    if (await approveChallenge(auth_url, url, { ...owner, code })) break
  const id = String(valueAt(refused, 'error', 'challenge', 'id'))
  const challenge = api_url + '/v1/factor_challenges/' + id
  const headers = { authorization: 'Bearer ' + keys.admin }
  const shown = await repeatBusy(() => fetch(challenge, { headers }), PAGE_PATIENCE)
  return call({ 'svc-factor': String(valueAt(await shown.json(), 'token')) })
}
