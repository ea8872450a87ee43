// Causes of the events of programs, keys, endpoints and billing, on a tenant of its own: calls, a
// person who approves, operators, and the portal of the payment processor.
import { until } from '../until.ts'
import type { EventWorld } from './event-table.ts'

const MONTH_S = 30 * 86_400

export async function playPrograms({ own, table }: EventWorld): Promise<void> {
  const program = await table.caused(['program.activated'], 'POST programs', async () =>
    String((await own.call('POST', '/v1/programs', { name: 'Cards' }))['id']),
  )
  await table.caused(['program.suspended'], 'an operator suspends', async () => {
    const body = { suspended_by: 'provider_risk', reason: 'review' }
    await own.operate('POST', '/programs/' + program + '/suspend', body)
    return program
  })
  await table.caused(['program.resumed'], 'an operator resumes', async () => {
    await own.operate('POST', '/programs/' + program + '/resume')
    return program
  })
}

export async function playKeysAndEndpoints({ own, table, receiver }: EventWorld): Promise<void> {
  const url = receiver.brokenUrl
  const broken = await own.call('POST', '/v1/webhook_endpoints', { url })
  receiver.secrets.push(String(broken['secret']))
  const endpoint = String(broken['id'])
  const disabled = table.caused(
    ['webhook_endpoint.disabled'],
    'five attempts fail',
    async () => endpoint,
  )
  const body = { name: 'Server', role: 'secret', scope: 'read' }
  const key = await table.caused(['api_key.created'], 'POST api_keys, approved', async () =>
    String((await own.approved('POST', '/v1/api_keys', body))['id']),
  )
  await table.caused(['api_key.revoked'], 'POST api_keys/revoke', async () => {
    await own.approved('POST', '/v1/api_keys/' + key + '/revoke', {})
    return key
  })
  await disabled
}

const VOLUMES = { authorizations: 1_000_000 }
const CONTACT = { name: 'Ada Lovelace', email: 'ada@events.example' }

export async function playBilling({ own, table }: EventWorld): Promise<void> {
  const approved = async (call: string, body: object = {}): Promise<string> => {
    const [method = '', path = ''] = call.split(' ')
    const made = await own.approved(method as 'POST', '/v1/billing/' + path, { ...body })
    return String(made['id'])
  }
  const subscription = await table.caused(['billing.trial_started'], 'POST trial', () =>
    approved('POST trial', { plan: 'starter' }),
  )
  await table.caused(['billing.plan_changed'], 'PATCH subscription', () =>
    approved('PATCH subscription', { plan: 'growth' }),
  )
  let portal = ''
  await table.caused(['billing.portal_accessed'], 'POST portal_sessions', async () => {
    const body = { return_url: 'http://127.0.0.1/returned' }
    const session = await own.approved('POST', '/v1/billing/portal_sessions', body)
    portal = String(session['url'])
    return String(session['id'])
  })
  await table.caused(['billing.payment_method_updated'], 'a card in the portal', async () => {
    const card = { number: '4242424242424242', exp_month: '12', exp_year: '2040', cvc: '123' }
    await fetch(portal, { method: 'POST', body: new URLSearchParams({ action: 'add', ...card }) })
    let methods: { id: string }[] = []
    await until(async () => {
      const { data } = await own.call('GET', '/v1/billing/payment_methods')
      methods = data as { id: string }[]
      return methods.length > 0
    })
    return methods[0]?.id ?? ''
  })
  const tenant = '/tenants/' + own.id
  const quote = await table.caused(
    ['billing.enterprise_quote_requested'],
    'POST quotes',
    async () =>
      String(
        (await own.call('POST', '/v1/billing/quotes', { volumes: VOLUMES, contact: CONTACT }))[
          'id'
        ],
      ),
  )
  await own.operate('POST', '/quotes/' + quote + '/offer', await offer(Number(MONTH_S), own))
  await approved('POST quotes/' + quote + '/accept')
  await table.caused(
    ['billing.enterprise_quote_provisioned'],
    'an operator provisions',
    async () => {
      const body = { environment: 'sandbox', quote_id: quote }
      return String((await own.operate('POST', tenant + '/enterprise_plan', body))['id'])
    },
  )
  await table.caused(['billing.addon_toggled'], 'PUT addons', () =>
    approved('PUT addons/identity_checks', { enabled: true }),
  )
  await table.caused(['billing.dunning_state_overridden'], 'an operator overrides', async () => {
    const { now } = await own.call('GET', '/v1/sandbox/clock')
    await own.operate('PUT', tenant + '/dunning_override/sandbox', {
      ...{ state: 'active', reason: 'agreed' },
      expires_at: Number(now) + MONTH_S,
    })
    return subscription
  })
  await table.caused(['billing.subscription_canceled'], 'POST subscription/cancel', () =>
    approved('POST subscription/cancel'),
  )
}

async function offer(seconds: number, own: EventWorld['own']) {
  const { now } = await own.call('GET', '/v1/sandbox/clock')
  const price = { included: 1_000_000, per_thousand_cents: 100 }
  return {
    ...{ interval: 'month', currency: 'USD', base_cents: 250_000, realtime: true },
    ...{ rate_factor: 2, endpoints_max: 20, net_days: 30 },
    meters: {
      ...{ authorizations: price, cards_issued: price, passes_issued: price },
      ...{ physical_cards: price, identity_checks: price },
    },
    expires_at: Number(now) + seconds,
  }
}
