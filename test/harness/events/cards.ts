// Causes of the events of cardholders, cards, purchases and disputes: calls, the identity provider,
// the sanctions list, the carrier, the card network and the sponsor bank.
import { randomBytes } from 'node:crypto'
import { valueAt } from '../../../scripts/simulate/api.ts'
import { done } from '../../../scripts/simulate/own-tenant.ts'
import { posted } from '../../../scripts/simulate/payments/payer.ts'
import { capturedPurchase } from '../../../scripts/simulate/purchase.ts'
import { AUTHORIZATION_REQUEST_TYPE } from '../../../shared/event-catalog.ts'
import { ADDRESS } from '../issuing.ts'
import type { EventWorld } from './event-table.ts'

const SHORT_MS = 2000

async function programId({ stage }: EventWorld): Promise<unknown> {
  const { cardholder_id } = stage.card('load_plain_1')
  return (await stage.api.cardholder(cardholder_id))['program_id']
}

export async function playCardholders(world: EventWorld): Promise<void> {
  const { stage, table } = world
  const program_id = await programId(world)
  const born = { date_of_birth: '1984-02-29', address: { ...ADDRESS, postal_code: '97201' } }
  const make = async (named: object): Promise<string> => {
    const { name: _name, ...address } = born.address
    const body = { program_id, date_of_birth: born.date_of_birth, address, ...named }
    return String((await posted(stage, '/v1/cardholders', body))['id'])
  }
  const last_name = 'Holder ' + randomBytes(4).toString('hex')
  await Promise.all([
    table.caused(
      ['cardholder.created', 'cardholder.kyc.completed'],
      'POST cardholders, the provider approves',
      () => make({ first_name: 'Ada', last_name }),
    ),
    table.caused(['cardholder.kyc.requires_action'], 'the provider flags a document', () =>
      make({ first_name: 'Ada', last_name: 'Review' }),
    ),
    table.caused(['cardholder.sanctions.alert'], 'a name of the sanctions list', () =>
      make({ first_name: 'Haldor', last_name: 'Jaskulski', date_of_birth: '1970-12-04' }),
    ),
  ])
}

export async function playCards({ stage, table }: EventWorld): Promise<void> {
  const post = async (path: string, body: object = {}): Promise<string> =>
    String((await posted(stage, '/v1/' + path, { ...body }))['id'])
  const { cardholder_id } = stage.card('load_plain_1')
  const physical = { cardholder_id, type: 'physical', currency: 'USD', shipping: ADDRESS }
  const card = await table.caused(['card.created'], 'POST cards', () => post('cards', physical))
  await table.caused(['card.shipped'], 'the carrier takes the card', () =>
    post('simulate/cards/' + card + '/ship'),
  )
  const { last4 } = await stage.api.card(card)
  const moves = [
    ['card.activated', 'activate', { last4 }],
    ['card.suspended', 'suspend', { reason: 'lost' }],
    ['card.resumed', 'resume', {}],
    ['card.terminated', 'terminate', { reason: 'lost' }],
  ] as const
  for (const [type, move, body] of moves)
    await table.caused([type], 'POST cards/' + move, () => post('cards/' + card + '/' + move, body))
}

export async function playPurchases({ stage, table }: EventWorld): Promise<void> {
  const card = stage.card('scenario_plain')
  const send = async (change: Parameters<typeof stage.message>[1]): Promise<string> => {
    const { answer } = await stage.send(stage.message(card, change))
    return String(answer?.transaction_id)
  }
  const first = stage.message(card, { amount_cents: 5000 })
  const { network_transaction_id } = first
  await table.caused(['card.transaction.authorized'], 'the network asks', async () => {
    const { answer } = await stage.send(first)
    return String(answer?.transaction_id)
  })
  for (const [type, kind, cents] of [
    ['card.transaction.captured', 'capture', 5000],
    ['card.transaction.refunded', 'refund', 2000],
  ] as const)
    await table.caused([type], 'the network sends a ' + kind, () =>
      send({ kind, amount_cents: cents, network_transaction_id }),
    )
  await table.caused(['card.transaction.reversed'], 'the network reverses', async () => {
    const held = stage.message(card, { amount_cents: 700 })
    await stage.send(held)
    const { network_transaction_id: original } = held
    return send({ kind: 'reversal', amount_cents: 700, network_transaction_id: original })
  })
  await table.caused(['card.transaction.declined'], 'a suspended card pays', async () => {
    const { answer } = await stage.send(stage.message(stage.card('suspended')))
    return String(answer?.transaction_id)
  })
  await table.caused(
    [AUTHORIZATION_REQUEST_TYPE],
    'the network asks, the tenant answers',
    async () => {
      const { answer } = await stage.send(stage.message(stage.card('scenario_realtime')))
      return String(answer?.transaction_id)
    },
  )
  await playDisputes({ stage, table })
}

async function playDisputes({ stage, table }: Pick<EventWorld, 'stage' | 'table'>): Promise<void> {
  const file = async (): Promise<string> => {
    const { transactionId } = await capturedPurchase(stage, 5000)
    const filed = { transaction_id: transactionId, reason: 'not_received', amount_cents: 3000 }
    return String((await posted(stage, '/v1/disputes', filed))['id'])
  }
  const require = async (id: string, body: { requested: string; due_by?: string }) => {
    done(await stage.api.operate('POST', '/operator/v1/disputes/' + id + '/require_evidence', body))
    return id
  }
  const dispute = await table.caused(['dispute.created'], 'POST disputes', file)
  await table.caused(['dispute.updated'], 'POST disputes/submit', async () => {
    const evidence = { kind: 'shipping', fields: { tracking_number: '1Z999' } }
    await posted(stage, '/v1/disputes/' + dispute + '/evidence', evidence)
    await posted(stage, '/v1/disputes/' + dispute + '/submit', {})
    return dispute
  })
  await table.caused(['dispute.evidence_required'], 'the bank wants more', () =>
    require(dispute, { requested: 'A letter.' }),
  )
  await table.caused(['dispute.expired'], 'the deadline passes', async () => {
    const late = await file()
    const shown = done(await stage.api.call('GET', '/v1/sandbox/clock'))
    const now = Number(valueAt(shown, 'now')) * 1000
    const due_by = new Date(now + SHORT_MS).toISOString()
    return require(late, { requested: 'A receipt.', due_by })
  })
}
