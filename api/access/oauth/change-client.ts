// Changes a platform: its name, addresses and scopes, its secret, and whether it works at all.
import { apiKeyHash, newOauthText } from '../../../shared/api-key.ts'
import type {
  OauthClient,
  OauthClientWithSecret,
  OauthScope,
} from '../../../shared/schemas/oauth.ts'
import type { OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { pagesUrlOf } from '../../http/relying-party.ts'
import type { HttpServices } from '../../http/services.ts'
import { write } from '../../write/write.ts'
import { lockClientRow, saveClient, saveSecret } from './client-store.ts'
import { type ClientRow, clientView } from './client-view.ts'
import { requireRedirectUris } from './redirect-uri.ts'

/** Chosen: the secret of before works for another 24 hours, as a key pending revocation does. */
const OLD_SECRET_MS = 24 * 3_600_000

async function lockClient(sql: TxSql, id: string): Promise<ClientRow> {
  const client = await lockClientRow(sql, id)
  if (client === null) throw new Refusal('resource_missing')
  return client
}

/**
 * Connections keep the scopes that people agreed to; later ones get the new scopes. The page of
 * consent asks again for an address that nobody agreed to.
 */
export async function updateClient(
  context: OperatorContext,
  {
    id,
    change,
  }: {
    id: string
    change: { name?: string; redirectUris?: readonly string[]; scopes?: readonly OauthScope[] }
  },
): Promise<OauthClient> {
  return write(context, async (sql) => {
    const client = { ...(await lockClient(sql, id)), ...change }
    requireRedirectUris(client.redirectUris, client.applicationType)
    return clientView(await saveClient(sql, client))
  })
}

/** Tokens of a disabled platform are refused in every process. Moving twice changes nothing. */
export async function moveClient(
  context: OperatorContext,
  { id, state }: { id: string; state: ClientRow['state'] },
): Promise<OauthClient> {
  return write(context, async (sql) => {
    const client = await lockClient(sql, id)
    return clientView(await saveClient(sql, { ...client, state }))
  })
}

/**
 * Only this answer ever shows the new secret. The one of before works for 24 hours, and one before
 * that no longer.
 *
 * Chosen: an operator's credential alone is refused with 403 `factor_required`. The operator proves
 * the call with a passkey on the page of platforms, and its evidence stands beside the audit row.
 */
export async function rotateClientSecret(
  context: OperatorContext,
  id: string,
  ports: SecretPorts,
): Promise<OauthClientWithSecret> {
  return write(context, async (sql) => {
    const { environment, kind } = await lockClient(sql, id)
    if (context.call.factor === null) throw secretUnproved(pagesUrlOf(ports))
    if (kind === 'public') throw new Refusal('parameter_invalid', { param: 'id', message: PUBLIC })
    const secret = newOauthText('cs', environment)
    const saved = await saveSecret(sql, {
      id,
      hash: apiKeyHash(secret),
      last4: secret.slice(-4),
      oldUntil: context.now + OLD_SECRET_MS,
    })
    return { ...clientView(saved), secret }
  })
}

/** Parts of the process that the secret of a platform needs. */
export type SecretPorts = Pick<HttpServices, 'authUrl' | 'publicUrl'>

const CLIENTS_PAGE = '/operator/clients'
const UNPROVED =
  'An operator has to prove this call with a passkey: make it on the page at challenge_url.'
const PUBLIC = 'A public client has no secret.'

/** 403 `factor_required`: a credential alone gives no platform another secret. */
export function secretUnproved(pagesUrl: string): Refusal {
  return new Refusal('factor_required', {
    message: UNPROVED,
    extra: { challenge_url: pagesUrl + CLIENTS_PAGE },
  })
}
