// Registers a platform. Only this answer ever shows its secret. Spec 5.2.
import { apiKeyHash, newOauthText } from '../../../shared/api-key.ts'
import type { OauthClientWithSecret, OauthScope } from '../../../shared/schemas/oauth.ts'
import type { OperatorContext } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { insertClient } from './client-store.ts'
import { type ClientRow, clientView } from './client-view.ts'
import { requireRedirectUris } from './redirect-uri.ts'

export interface ClientPort {
  /** A sandbox installation has no live resources. */
  installation: ClientRow['environment']
}

interface ClientInput {
  environment: ClientRow['environment']
  name: string
  kind: ClientRow['kind']
  applicationType: ClientRow['applicationType']
  redirectUris: readonly string[]
  scopes: readonly OauthScope[]
}

export async function createClient(
  context: OperatorContext,
  input: ClientInput,
  { installation }: ClientPort,
): Promise<OauthClientWithSecret> {
  const { environment, kind } = input
  if (environment === 'live' && installation === 'sandbox')
    throw new Refusal('parameter_invalid', {
      param: 'environment',
      message: 'This installation serves the sandbox only.',
    })
  requireRedirectUris(input.redirectUris, input.applicationType)
  const secret = kind === 'public' ? null : newOauthText('cs', environment)
  return write(context, async (sql) => {
    const client = await insertClient(sql, {
      ...input,
      id: context.newId('oac'),
      secretHash: secret === null ? null : apiKeyHash(secret),
      last4: secret?.slice(-4) ?? null,
      createdAt: context.now,
    })
    return { ...clientView(client), secret }
  })
}
