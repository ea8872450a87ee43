// A row for each page of the dashboard that cards, authorizations and payments leave empty, made by
// the calls that a tenant makes. A page that has a row already stays as it is.
import { randomBytes } from 'node:crypto'
import { SvcError } from '../../../client/index.ts'
import { type Clock, sleep } from '../../../shared/clock.ts'
import { agree, PageVisitor, signIn } from '../../page-visitor.ts'
import type { SandboxOwner, SandboxSecrets } from '../sandbox-secrets.ts'
import { type Approving, approved, ownCodes } from './approved-call.ts'
import { type Callers, once } from './callers.ts'

const CAPTURED_CENTS = 4200
const CAPTURED_MS_MAX = 30_000
const LOOK_AGAIN_MS = 200
const RETURN_URL = 'http://127.0.0.1/returned'
/** A yellow square of 87 pixels, PNG. */
const SQUARE =
  'iVBORw0KGgoAAAANSUhEUgAAAFcAAABXCAIAAAD+qk47AAAAfklEQVR42u3QMQ0AAAwDoPpXVHedin0kKCBrUGDBggUL' +
  'FixYsGDBggULFixYsGDBggULFixYsGDBggULFixYsGDBggULFixYsGDBggULFixYsGDBggULFixYsGDBggULFixYsGDB' +
  'ggULFixYsGDBggULFixYsGDBggULFiz8OCICtpZmBcFfAAAAAElFTkSuQmCC'

const TEMPLATE = {
  ...{ name: 'Points card', style: 'store_card' as const, organization_name: 'Northwind' },
  description: 'Points of Northwind',
  colors: { background: '#003366' },
  fields: {
    primary: [{ key: 'points', label: 'Points', value: '{{points}}' }],
    secondary: [{ key: 'holder', label: 'Member', value: '{{holder_name}}' }],
  },
  barcode: { format: 'qr' as const },
}

export interface PagesWorld {
  callers: Callers
  clock: Clock
  secrets: SandboxSecrets
  owner: SandboxOwner
  /** Address of the pages of people. */
  authUrl: string
  /** The sandbox has an inbox of its own: no mail leaves the machine. */
  hasInbox: boolean
}

/** Throws the refusal that ends it. Calls `spent` with each code of the owner that it uses. */
export async function fillPages(world: PagesWorld, spent: (code: string) => void): Promise<void> {
  await makePass(world)
  await makeDispute(world)
  await makeAlert(world)
  const approving = { ...world, codes: ownCodes(world, spent) }
  if (world.hasInbox) await makeInvitation(approving)
  await makeConnection(world, approving)
}

/** Whether a list has no row. */
async function isEmpty(reading: Promise<{ data: readonly unknown[] }>): Promise<boolean> {
  return (await reading).data.length === 0
}

/** A template with its pictures, a pass of it, and a scanner that has read it. */
async function makePass({ callers, secrets }: PagesWorld): Promise<void> {
  const { tenant, signal } = callers
  if (!(await isEmpty(tenant.listPassScans({ limit: 1 }, { signal })))) return
  const pictureOf = (role: 'icon' | 'logo') => {
    const input = { role, data: SQUARE }
    return tenant.createPassImage(input, once(callers, 'createPassImage', input))
  }
  const images = { icon: (await pictureOf('icon')).id, logo: (await pictureOf('logo')).id }
  const drawn = { ...TEMPLATE, images }
  const template = await tenant.createPassTemplate(
    drawn,
    once(callers, 'createPassTemplate', drawn),
  )
  const holder = { holder_name: 'Ada Lovelace', values: { points: '120' } }
  const issued = { template_id: template.id, card_id: cardOf(secrets, 'disputed').id, ...holder }
  const pass = await tenant.createPass(issued, once(callers, 'createPass', issued))
  const named = { name: 'Front door' }
  const scanner = await tenant.createScanner(named, once(callers, 'createScanner', named))
  const read = { payload: pass.payload, scanner_id: scanner.id }
  await tenant.scanPasses(read, once(callers, 'scanPasses', read))
}

/** A purchase that was captured and is contested. */
async function makeDispute({ callers, clock, secrets }: PagesWorld): Promise<void> {
  const { tenant, signal } = callers
  if (!(await isEmpty(tenant.listDisputes({ limit: 1 }, { signal })))) return
  const played = await tenant.createSimulateCardNetworkScenario(
    {
      card_id: cardOf(secrets, 'disputed').id,
      scenario: 'approve_and_capture',
      amount_cents: CAPTURED_CENTS,
    },
    { signal },
  )
  const id = played.transaction_id ?? ''
  const endMs = clock.nowMs() + CAPTURED_MS_MAX
  while (!(await isCaptured(callers, id))) {
    if (clock.nowMs() > endMs) throw new Error('a capture was not recorded within 30 s')
    await sleep(LOOK_AGAIN_MS, signal)
  }
  const explanation = 'The parcel never came.'
  const contested = { transaction_id: id, reason: 'not_received' as const, explanation }
  await tenant.createDispute(contested, { signal })
}

/** False also before the engine's entries have reached the database. */
async function isCaptured({ tenant, signal }: Callers, id: string): Promise<boolean> {
  try {
    return (await tenant.getCardTransaction({ id }, { signal })).status === 'captured'
  } catch (error) {
    if (error instanceof SvcError && error.status === 404) return false
    throw error
  }
}

async function makeAlert({ callers, secrets }: PagesWorld): Promise<void> {
  const { tenant, signal } = callers
  if (!(await isEmpty(tenant.listSanctionsAlerts({ limit: 1 }, { signal })))) return
  const id = cardOf(secrets, 'screened').cardholder_id
  await tenant.sanctionsHitSimulateCardholder({ id }, { signal })
}

async function makeInvitation(approving: Approving): Promise<void> {
  const { tenant, signal } = approving.callers
  if (!(await isEmpty(tenant.listInvitations({ limit: 1 }, { signal })))) return
  const invited = { email: 'ada@sandbox.example', role: 'developer' as const }
  await approved(approving, (factor) => tenant.createInvitation(invited, { signal, ...factor }))
}

/** A platform that an operator registers, and to which the owner agrees on the real page. */
async function makeConnection(
  { callers, owner, secrets, authUrl }: PagesWorld,
  { codes }: Approving,
): Promise<void> {
  const { tenant, operator, signal } = callers
  if (!(await isEmpty(tenant.listOauthGrants({ limit: 1 }, { signal })))) return
  const visitor = new PageVisitor(authUrl)
  if (!(await signIn(visitor, owner, codes))) throw new Error('the owner cannot sign in')
  const client = await operator(
    { method: 'POST', path: '/operator/v1/oauth_clients' },
    {
      ...{ environment: 'sandbox', name: 'Ledger of Northwind', kind: 'public' },
      ...{ application_type: 'native', redirect_uris: [RETURN_URL], scopes: ['card:read'] },
    },
    { signal },
  )
  const { id: clientId } = client as { id: string }
  const verifier = randomBytes(32).toString('base64url')
  const { back } = await agree(visitor, {
    ...{ clientId, tenant: secrets.tenant_id, returnUrl: RETURN_URL, verifier },
    state: randomBytes(8).toString('hex'),
  })
  const code = back.searchParams.get('code') ?? ''
  await visitor.go('/oauth/token', { code, code_verifier: verifier, client_id: clientId })
  await visitor.go('/sign-out', {})
}

function cardOf({ cards }: SandboxSecrets, purpose: string) {
  const card = cards[purpose]
  if (card === undefined) throw new Error('the card ' + purpose + ' is missing')
  return card
}
