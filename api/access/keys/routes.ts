// The endpoints of API keys. All are for admins, and every call that makes or ends a credential
// needs a person's approval. Spec 5.1.

import type { EpochMs } from '../../../shared/clock.ts'
import { Type } from '../../../shared/schema-builders.ts'
import { ApiKey, CreatedApiKey, KEY_STATUSES } from '../../../shared/schemas/api-key.ts'
import { type Page, PageOf } from '../../../shared/schemas/list.ts'
import {
  ExternalId,
  TENANT_FIELDS_CHANGE,
  TENANT_FIELDS_INPUT,
} from '../../../shared/schemas/tenant-fields.ts'
import type { Context } from '../../context.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { mapPage, PAGE_QUERY, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import { readCidrs } from './cidrs.ts'
import { createApiKey, scopeFor } from './create.ts'
import { moveApiKey } from './states.ts'
import { findKey, type KeyFilters, listKeys } from './store.ts'
import { updateApiKey } from './update.ts'
import { keyView } from './view.ts'

/** Chosen: this many ranges per key; an office and its machines have a few. */
const CIDRS_MAX = 50

const Name = Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })
/** A rough pattern; `readCidrs` checks exactly. */
const Cidr = Type.String({ pattern: '^[0-9A-Fa-f.:]{2,45}/[0-9]{1,3}$' })
const Cidrs = Type.Array(Cidr, { maxItems: CIDRS_MAX })
/** Unix seconds by the clock of the account. */
const End = Type.Integer({ minimum: 0, maximum: 99_999_999_999 })
const Role = Type.Enum(['secret', 'publishable'])

export const apiKeyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/api_keys'],
    summary: 'Lists API keys: what they may do, when they were last used, and from where.',
    scope: 'admin',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      status: Type.Optional(Type.Enum([...KEY_STATUSES])),
      role: Type.Optional(Role),
      external_id: Type.Optional(ExternalId),
    }),
    answer: PageOf(ApiKey),
    run: (context, { query }) => readApiKeys(context, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/api_keys/:id'],
    summary: 'Shows an API key, never its secret.',
    scope: 'admin',
    params: IdParams,
    answer: ApiKey,
    run: (context, { params }) => readApiKey(context, params.id),
  }),
  route({
    method: 'POST',
    paths: ['/v1/api_keys'],
    summary: 'Makes an API key of the environment that is called; its secret is shown once.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Make an API key.',
    body: closed({
      name: Name,
      role: Role,
      scope: Type.Optional(Type.Enum(['read', 'write', 'admin'])),
      cidrs: Type.Optional(Cidrs),
      expires_at: Type.Optional(End),
      ...TENANT_FIELDS_INPUT,
    }),
    check: (body) => {
      scopeFor(body)
      readCidrs(body.cidrs ?? [])
    },
    answer: CreatedApiKey,
    status: 201,
    run: (context, { body }) =>
      createApiKey(context, {
        name: body.name,
        role: body.role,
        ...(body.scope === undefined ? {} : { scope: body.scope }),
        cidrs: readCidrs(body.cidrs ?? []),
        expiresAt: momentOf(body.expires_at) ?? null,
        externalId: body.external_id ?? null,
        metadata: body.metadata ?? {},
      }),
  }),
  route({
    method: 'PATCH',
    paths: ['/v1/api_keys/:id'],
    summary:
      'Changes the name of an API key, where it may be used from, its end, external_id and metadata.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Change an API key.',
    params: IdParams,
    body: closed(
      {
        name: Type.Optional(Name),
        cidrs: Type.Optional(Cidrs),
        expires_at: Type.Optional(Type.Union([End, Type.Null()])),
        ...TENANT_FIELDS_CHANGE,
      },
      { minProperties: 1 },
    ),
    check: ({ cidrs = [] }) => {
      readCidrs(cidrs)
    },
    answer: ApiKey,
    run: (context, { params, body }) => {
      const { cidrs, expires_at: end, ...others } = body
      const expiresAt = momentOf(end)
      const change = {
        ...others,
        ...(cidrs !== undefined && { cidrs: readCidrs(cidrs) }),
        ...(expiresAt !== undefined && { expiresAt }),
      }
      return updateApiKey(context, { id: params.id, change })
    },
  }),
  route({
    method: 'POST',
    paths: ['/v1/api_keys/:id/mark_pending'],
    summary: 'Marks an API key for revocation: it works for another 24 hours.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Revoke an API key in 24 hours.',
    params: IdParams,
    answer: ApiKey,
    run: (context, { params }) => moveApiKey(context, { id: params.id, move: 'mark_pending' }),
  }),
  route({
    method: 'POST',
    paths: ['/v1/api_keys/:id/revoke'],
    summary: 'Revokes an API key: from the answer on it is refused everywhere.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Revoke an API key.',
    params: IdParams,
    answer: ApiKey,
    run: (context, { params }) => moveApiKey(context, { id: params.id, move: 'revoke' }),
  }),
]

function momentOf(seconds: number | null | undefined): EpochMs | null | undefined {
  return typeof seconds === 'number' ? seconds * 1000 : seconds
}

async function readApiKey({ sql, principal }: Context, id: string): Promise<ApiKey> {
  const key = await findKey(sql, principal, id)
  if (key === null) throw new Refusal('resource_missing')
  return keyView(key)
}

async function readApiKeys(
  { sql, principal }: Context,
  query: PageQuery & KeyFilters,
): Promise<Page<ApiKey>> {
  return mapPage(await listKeys(sql, principal, query), keyView)
}
