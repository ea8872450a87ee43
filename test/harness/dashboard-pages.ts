// Addresses of the dashboard's pages in a test: each id in a path is one of the furnished tenant.
import type { TestDashboard } from './dashboard.ts'

/** Resource of a page by the segment before its id. */
const SEGMENTS: { readonly [segment: string]: string } = {
  transactions: 'card_transactions',
  cards: 'cards',
  controls: 'spending_controls',
  backtests: 'backtests',
  certifications: 'certifications',
  recoveries: 'recoveries',
  keys: 'api_keys',
  webhooks: 'webhook_endpoints',
  deliveries: 'webhook_deliveries',
  events: 'events',
  cardholders: 'cardholders',
  alerts: 'sanctions_alerts',
  disputes: 'disputes',
  programs: 'programs',
  passes: 'passes',
  templates: 'pass_templates',
  images: 'pass_images',
  payments: 'payments',
  payment_accounts: 'payment_accounts',
  mandates: 'payment_mandates',
  withdrawals: 'payment_withdrawals',
  settlements: 'settlement_batches',
  settlement_accounts: 'settlement_accounts',
  connections: 'oauth_grants',
  people: 'people',
  invitations: 'invitations',
}

/** The address of a page, with ids of the tenant's own resources. */
export function addressOf(
  { root, things }: Pick<TestDashboard, 'root' | 'things'>,
  path: string,
): string {
  const segments = path.split('/')
  const named = segments.map((part, at) => {
    if (!part.startsWith(':')) return part
    const id = things.get(SEGMENTS[segments[at - 1] ?? ''] ?? '')
    if (id === undefined) throw new Error('no resource for ' + path)
    return id
  })
  return root + named.join('/')
}
