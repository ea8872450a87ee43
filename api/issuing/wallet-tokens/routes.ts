// The endpoints of wallet tokens.
import { Type } from '../../../shared/schema-builders.ts'
import { type Page, PageOf } from '../../../shared/schemas/list.ts'
import {
  ExternalId,
  TENANT_FIELDS_CHANGE,
  TENANT_FIELDS_INPUT,
} from '../../../shared/schemas/tenant-fields.ts'
import { WALLET_TOKEN_STATUSES, WalletToken } from '../../../shared/schemas/wallet-token.ts'
import type { Context } from '../../context.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { mapPage, PAGE_QUERY, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdFilter, IdParams, type Route, route } from '../../http/route.ts'
import { createWalletToken } from './create.ts'
import { moveWalletToken } from './move.ts'
import { WALLET_TOKEN_MOVES, type WalletTokenMove } from './states.ts'
import { findWalletToken, listWalletTokens, type WalletTokenFilters } from './store.ts'
import { updateWalletToken } from './update.ts'
import { walletTokenView } from './view.ts'

const MOVE_SUMMARIES: { readonly [Move in WalletTokenMove]: string } = {
  suspend: 'Suspends a wallet token: it is declined until it is resumed.',
  resume: 'Makes a suspended wallet token active again.',
  deactivate: 'Deactivates a wallet token for ever.',
}

export const walletTokenRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/wallet_tokens'],
    scope: 'read',
    summary: 'Lists wallet tokens, newest first.',
    family: 'card',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      card_id: IdFilter,
      status: Type.Optional(Type.Enum([...WALLET_TOKEN_STATUSES])),
      external_id: Type.Optional(ExternalId),
    }),
    answer: PageOf(WalletToken),
    run: (context, { query }) => readWalletTokens(context, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/wallet_tokens/:id'],
    scope: 'read',
    summary: 'Returns one wallet token.',
    family: 'card',
    params: IdParams,
    answer: WalletToken,
    run: (context, { params }) => readWalletToken(context, params.id),
  }),
  route({
    method: 'POST',
    paths: ['/v1/wallet_tokens'],
    scope: 'write',
    entitled: 'issuing',
    summary: 'Records that a card was put into a wallet.',
    family: 'card',
    body: closed({
      card_id: Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }),
      provider: Type.String({ pattern: '^[a-z0-9_]{1,32}$' }),
      ...TENANT_FIELDS_INPUT,
    }),
    answer: WalletToken,
    status: 201,
    run: (context, { body }) =>
      createWalletToken(context, {
        cardId: body.card_id,
        provider: body.provider,
        externalId: body.external_id ?? null,
        metadata: body.metadata ?? {},
      }),
  }),
  route({
    method: 'PATCH',
    paths: ['/v1/wallet_tokens/:id'],
    scope: 'write',
    entitled: 'always',
    summary: 'Changes external_id and metadata of a wallet token.',
    family: 'card',
    params: IdParams,
    body: closed({ ...TENANT_FIELDS_CHANGE }, { minProperties: 1 }),
    answer: WalletToken,
    run: (context, { params, body }) => updateWalletToken(context, { id: params.id, change: body }),
  }),
  ...(Object.keys(WALLET_TOKEN_MOVES) as WalletTokenMove[]).map((move) =>
    route({
      method: 'POST',
      paths: ['/v1/wallet_tokens/:id/' + move],
      scope: 'write',
      entitled: 'always',
      summary: MOVE_SUMMARIES[move],
      family: 'card',
      params: IdParams,
      answer: WalletToken,
      run: (context, { params }) => moveWalletToken(context, { id: params.id, move }),
    }),
  ),
]

async function readWalletToken({ sql, principal }: Context, id: string): Promise<WalletToken> {
  const token = await findWalletToken(sql, principal, id)
  if (token === null) throw new Refusal('resource_missing')
  return walletTokenView(token)
}

async function readWalletTokens(
  { sql, principal }: Context,
  query: PageQuery & WalletTokenFilters,
): Promise<Page<WalletToken>> {
  return mapPage(await listWalletTokens(sql, principal, query), walletTokenView)
}
