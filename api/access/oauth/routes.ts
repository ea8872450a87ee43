// Endpoints about platforms: operators register them, tenants list and end their connections.
import { Type } from '../../../shared/schema-builders.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import {
  APPLICATION_TYPES,
  CLIENT_KINDS,
  CLIENT_STATUSES,
  GRANT_STATUSES,
  OAUTH_SCOPES,
  OauthClient,
  OauthClientWithSecret,
  OauthGrant,
} from '../../../shared/schemas/oauth.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { mapPage, PAGE_QUERY } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdParams, operatorRoute, type Route, route } from '../../http/route.ts'
import {
  moveClient,
  rotateClientSecret,
  type SecretPorts,
  secretUnproved,
  updateClient,
} from './change-client.ts'
import { findClientRow, listClients } from './client-store.ts'
import { clientView } from './client-view.ts'
import { type ClientPort, createClient } from './create-client.ts'
import { readConnection, readConnections, revokeConnection } from './grants.ts'

const PATH = '/operator/v1/oauth_clients'
/** Chosen: addresses per platform. */
const REDIRECTS_MAX = 10

const Name = Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })
const RedirectUri = Type.String({ minLength: 1, maxLength: 500, pattern: '^[\\x21-\\x7e]+$' })
const RedirectUris = Type.Array(RedirectUri, { minItems: 1, maxItems: REDIRECTS_MAX })
const Scopes = Type.Array(Type.Enum([...OAUTH_SCOPES]), { minItems: 1, uniqueItems: true })

const clientRoutes: readonly Route<ClientPort & SecretPorts>[] = [
  operatorRoute({
    method: 'GET',
    paths: [PATH],
    summary: 'Lists the platforms that may act for tenants, newest first.',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      status: Type.Optional(Type.Enum([...CLIENT_STATUSES])),
    }),
    answer: PageOf(OauthClient),
    run: async ({ sql }, { query }) => mapPage(await listClients(sql, query), clientView),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH],
    summary: 'Registers a platform; the secret of a confidential one is shown this once.',
    status: 201,
    secondOperator: 'Register a platform.',
    body: closed({
      environment: Type.Enum(['sandbox', 'live']),
      name: Name,
      kind: Type.Enum([...CLIENT_KINDS]),
      application_type: Type.Optional(Type.Enum([...APPLICATION_TYPES])),
      redirect_uris: RedirectUris,
      scopes: Scopes,
    }),
    answer: OauthClientWithSecret,
    run: (context, { body }, ports: ClientPort) =>
      createClient(
        context,
        {
          environment: body.environment,
          name: body.name,
          kind: body.kind,
          applicationType: body.application_type ?? 'web',
          redirectUris: body.redirect_uris,
          scopes: body.scopes,
        },
        ports,
      ),
  }),
  operatorRoute({
    method: 'GET',
    paths: [PATH + '/:id'],
    summary: 'Returns one platform, never its secret.',
    params: IdParams,
    answer: OauthClient,
    run: async ({ sql }, { params }) => {
      const client = await findClientRow(sql, params.id)
      if (client === null) throw new Refusal('resource_missing')
      return clientView(client)
    },
  }),
  operatorRoute({
    method: 'PATCH',
    paths: [PATH + '/:id'],
    summary: 'Changes the name of a platform, its redirect addresses and its scopes.',
    secondOperatorBy: ({ redirect_uris: redirectUris, scopes }) =>
      redirectUris === undefined && scopes === undefined
        ? null
        : 'Change the redirect addresses or the scopes of a platform.',
    params: IdParams,
    body: closed(
      {
        name: Type.Optional(Name),
        redirect_uris: Type.Optional(RedirectUris),
        scopes: Type.Optional(Scopes),
      },
      { minProperties: 1 },
    ),
    answer: OauthClient,
    run: (context, { params, body: { redirect_uris: redirectUris, ...others } }) =>
      updateClient(context, {
        id: params.id,
        change: { ...others, ...(redirectUris !== undefined && { redirectUris }) },
      }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/:id/rotate_secret'],
    summary:
      'Gives a platform another secret, shown this once, where an operator proves it with a passkey. The one of before works for 24 hours.',
    secondOperator: 'Give a platform another secret.',
    requireProof: (_sql, _input, pagesUrl) => Promise.reject(secretUnproved(pagesUrl)),
    params: IdParams,
    answer: OauthClientWithSecret,
    run: (context, { params }, ports: SecretPorts) => rotateClientSecret(context, params.id, ports),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/:id/disable'],
    summary: 'Disables a platform: it gets no tokens, and its tokens are refused.',
    params: IdParams,
    answer: OauthClient,
    run: (context, { params }) => moveClient(context, { id: params.id, state: 'disabled' }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/:id/enable'],
    summary: 'Lets a disabled platform act again, with the connections it had.',
    params: IdParams,
    answer: OauthClient,
    run: (context, { params }) => moveClient(context, { id: params.id, state: 'active' }),
  }),
]

export const oauthRoutes: readonly Route<ClientPort & SecretPorts>[] = [
  ...clientRoutes,
  route({
    method: 'GET',
    paths: ['/v1/oauth_grants'],
    summary: 'Lists the connections of platforms that act for the account.',
    scope: 'admin',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      status: Type.Optional(Type.Enum([...GRANT_STATUSES])),
    }),
    answer: PageOf(OauthGrant),
    run: (context, { query }) => readConnections(context, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/oauth_grants/:id'],
    summary: 'Shows the connection of a platform.',
    scope: 'admin',
    params: IdParams,
    answer: OauthGrant,
    run: (context, { params }) => readConnection(context, params.id),
  }),
  route({
    method: 'POST',
    paths: ['/v1/oauth_grants/:id/revoke'],
    summary: 'Ends the connection of a platform: from the answer on its tokens are refused.',
    scope: 'admin',
    entitled: 'always',
    factor: 'End the connection of a platform.',
    params: IdParams,
    answer: OauthGrant,
    run: (context, { params }) => revokeConnection(context, params.id),
  }),
]
