// The call that makes the first row of each list, which an empty list shows as a command. Ids that
// end in … stand for ids of the tenant.
import { curlOf } from './curl.ts'
import { type Call, call, type Visit, type Way } from './page.ts'

/** A call of every environment, or one that only some environments have. */
type First = Call | ((at: Visit) => Call | null)

/** Live has no simulator: networks, holders and screenings make its rows. */
export const simulated =
  (first: Call) =>
  ({ environment }: Pick<Visit, 'environment'>): Call | null =>
    environment === 'sandbox' ? first : null

/** The page that uses a card; null in live, where networks do. */
export function firstUse({ environment }: Pick<Visit, 'environment'>): Way | null {
  const operation = 'createSimulateCardNetworkMessage'
  return environment === 'sandbox'
    ? { path: '/sandbox', label: 'Send an authorization', operation }
    : null
}

/** An authorization of a card by the simulated network; null in live. */
export function authorizationOf(at: Visit, cardId = 'card_…'): Call | null {
  const input = { card_id: cardId, scenario: 'approve' as const }
  return simulated(call('createSimulateCardNetworkScenario', input))(at)
}

const ANY_CHANGE = call('createScanner', { name: 'Front door' })

/** By the operation of the list; a list of another operation does not compile. */
export const FIRST_ROWS = {
  listCardTransactions: simulated(
    call('createSimulateCardNetworkScenario', { card_id: 'card_…', scenario: 'approve' }),
  ),
  listCards: call('createCard', { cardholder_id: 'ch_…', type: 'virtual' }),
  listCardholders: call('createCardholder', {
    ...{ program_id: 'prog_…', first_name: 'Ada', last_name: 'Lovelace' },
  }),
  listSanctionsAlerts: simulated(call('sanctionsHitSimulateCardholder', { id: 'ch_…' })),
  listSpendingControls: call('createSpendingControl', {
    ...{ scope: 'card', subject_id: 'card_…', blocked_mccs: ['7995'] },
  }),
  listDisputes: call('createDispute', { transaction_id: 'txn_…', reason: 'not_received' }),
  listPrograms: call('createProgram', { name: 'Travel cards', currency: 'USD' }),
  listPasses: call('createPass', { template_id: 'ptpl_…', card_id: 'card_…' }),
  listPassTemplates: call('createPassTemplate', {
    ...{ name: 'Points card', style: 'store_card', organization_name: 'Northwind' },
    description: 'Points of Northwind',
    fields: { primary: [{ key: 'points', label: 'Points', value: '{{points}}' }] },
    barcode: { format: 'qr' },
  }),
  listPassImages: call('createPassImage', { role: 'icon', data: 'iVBORw0KGgo…' }),
  listPassScans: call('scanPasses', { payload: 'pass_….…', scanner_id: 'scn_…' }),
  listScanners: call('createScanner', { name: 'Front door' }),
  listPaymentAccounts: call('createPaymentAccount', { cardholder_id: 'ch_…' }),
  listPayments: call('createPayment', {
    ...{ payment_account_id: 'pacc_…', settlement_account_id: 'sacc_…', amount_cents: 2500 },
  }),
  listSettlementBatches: call('capturePayment', { id: 'pay_…' }),
  listSettlementAccounts: call('createSettlementAccount', {
    ...{ address: '0x…', name: 'Books' },
    ...{ mcc: '5942', country: 'US' },
  }),
  listApiKeys: call('createApiKey', { name: 'Order service', role: 'secret', scope: 'write' }),
  listWebhookEndpoints: call('createWebhookEndpoint', { url: 'https://hooks.example/svc' }),
  listWebhookDeliveries: call('testWebhookEndpoint', { id: 'we_…' }),
  listEvents: ANY_CHANGE,
  listRefusedCalls: call('getCard', { id: 'card_unknown' }),
  listAuditLog: ANY_CHANGE,
  listPeople: call('createInvitation', { email: 'ada@example.com', role: 'developer' }),
  listInvitations: call('createInvitation', { email: 'ada@example.com', role: 'developer' }),
} as const satisfies { readonly [operation: string]: First }

/** Operations whose lists have an empty state. */
export type ListedOperation = keyof typeof FIRST_ROWS | 'listOauthGrants'

/** The command that makes the first row of a list in this environment; null where none does. */
export function firstCommand(
  at: Visit,
  of: { operation: ListedOperation; first?: (at: Visit) => Call | null },
): string | null {
  const { operation } = of
  // A platform makes a connection by leading a person of the tenant to our consent page.
  if (operation === 'listOauthGrants') return "open '" + at.apiUrl + CONSENT + "'"
  const first: First = of.first ?? FIRST_ROWS[operation]
  const call = typeof first === 'function' ? first(at) : first
  return call === null ? null : curlOf(at.apiUrl, call)
}

const CONSENT =
  '/oauth/authorize?response_type=code&client_id=oac_…&scope=card:read&code_challenge=…' +
  '&redirect_uri=https://platform.example/'
