// The endpoints of cards. Spec 4.2 lists the first; the others are additions.
import { Type } from '../../../shared/schema-builders.ts'
import { CARD_STATUSES, Card, LIMIT_INTERVALS } from '../../../shared/schemas/card.ts'
import { CardEvaluation, EVALUATE_INPUT } from '../../../shared/schemas/card-evaluation.ts'
import {
  CardRevealToken,
  REVEAL_FIELDS,
  REVEAL_SECONDS_MAX,
} from '../../../shared/schemas/card-reveal.ts'
import { described } from '../../../shared/schemas/described.ts'
import { type Page, PageOf } from '../../../shared/schemas/list.ts'
import {
  ExternalId,
  TENANT_FIELDS_CHANGE,
  TENANT_FIELDS_INPUT,
} from '../../../shared/schemas/tenant-fields.ts'
import { words } from '../../../shared/schemas/words.ts'
import type { Context } from '../../context.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { mapPage, PAGE_QUERY, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdFilter, IdParams, type Route, route } from '../../http/route.ts'
import type { PassPorts } from '../../passes/passes/index.ts'
import { allowReveal } from './allow-reveal.ts'
import { createCard } from './create.ts'
import { type EvaluatePort, evaluateCard } from './evaluate.ts'
import { cardMoveRoutes } from './move-routes.ts'
import { cardOperatorRoutes } from './operator-routes.ts'
import { LIMITS_MAX, replaceLimits } from './replace-limits.ts'
import { setPin } from './set-pin.ts'
import { type CardFilters, findCard, listCards } from './store.ts'
import { updateCard } from './update.ts'
import { cardView } from './view.ts'

export type CardPorts = EvaluatePort & PassPorts

const LimitInput = closed({
  interval: described(
    Type.Enum([...LIMIT_INTERVALS]),
    'The span that is counted together: a calendar day, week, month or year of time_zone, each authorization alone, or everything.',
  ),
  amount_cents: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: '0 allows nothing; no limit is an absent one.',
  }),
  currency: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{3}$',
      description: 'That of the card, and no other.',
    }),
  ),
  time_zone: described(
    Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    'IANA name of the zone in which days, weeks, months and years begin; UTC when left out.',
  ),
})

const LINE_CHARS = 100
const Line = words(LINE_CHARS)
const LineOrBlank = Type.String({
  minLength: 1,
  maxLength: LINE_CHARS,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
})

const CreateCard = closed({
  cardholder_id: Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }),
  type: Type.Enum(['virtual', 'physical']),
  currency: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{3}$',
      description:
        'What its amounts are in, an ISO 4217 code; that of its program, else USD, when left out.',
    }),
  ),
  name_on_card: described(Type.Optional(words(26)), 'At most the characters that fit on a card.'),
  shipping: described(
    Type.Optional(
      closed({
        name: Line,
        line1: Line,
        line2: Type.Optional(LineOrBlank),
        city: Line,
        state: described(Type.Optional(LineOrBlank), 'State, province or region.'),
        postal_code: Type.Optional(LineOrBlank),
        country: described(
          Type.String({ pattern: '^[A-Z]{2}$' }),
          'ISO 3166 code, two capital letters.',
        ),
      }),
    ),
    'Address of the shipment: a physical card needs it, a virtual one has none.',
  ),
  limits: described(
    Type.Optional(Type.Array(LimitInput, { maxItems: LIMITS_MAX })),
    'Limits of the card itself, one per interval and zone.',
  ),
  ...TENANT_FIELDS_INPUT,
})

export const cardRoutes: readonly Route<CardPorts>[] = [
  route({
    method: 'GET',
    paths: ['/v1/cards'],
    scope: 'read',
    summary: 'Lists cards, newest first.',
    family: 'card',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      status: Type.Optional(Type.Enum([...CARD_STATUSES])),
      cardholder_id: IdFilter,
      program_id: IdFilter,
      type: Type.Optional(Type.Enum(['virtual', 'physical'])),
      last4: Type.Optional(Type.String({ pattern: '^[0-9]{4}$' })),
      external_id: Type.Optional(ExternalId),
    }),
    answer: PageOf(Card),
    run: (context, { query }) => readCards(context, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/cards/:id'],
    scope: 'read',
    summary: 'Returns one card.',
    family: 'card',
    params: IdParams,
    answer: Card,
    run: (context, { params }) => readCard(context, params.id),
  }),
  route({
    method: 'POST',
    paths: ['/v1/cards'],
    scope: 'write',
    entitledBy: ({ type }) => (type === 'physical' ? 'physical_cards' : 'issuing'),
    summary: 'Issues a card to a cardholder: a virtual one works at once, a physical one is sent.',
    family: 'card',
    body: CreateCard,
    answer: Card,
    status: 201,
    run: (context, { body }) => createCard(context, body),
  }),
  route({
    method: 'PATCH',
    paths: ['/v1/cards/:id'],
    scope: 'write',
    entitled: 'always',
    summary: 'Changes what you keep with a card; metadata is merged.',
    family: 'card',
    params: IdParams,
    body: closed({ ...TENANT_FIELDS_CHANGE }, { minProperties: 1 }),
    answer: Card,
    run: (context, { params, body }) => updateCard(context, { cardId: params.id, change: body }),
  }),
  ...cardMoveRoutes,
  route({
    method: 'POST',
    paths: ['/v1/cards/:id/reveal_tokens'],
    scope: 'write',
    entitled: 'always',
    summary: 'Gives a token with which a page shows the card’s number and CVC, once.',
    personFactor: 'Show the number of a card.',
    family: 'card',
    params: IdParams,
    body: closed({
      fields: described(
        Type.Optional(
          Type.Array(Type.Enum([...REVEAL_FIELDS]), { minItems: 1, uniqueItems: true }),
        ),
        'The details that the token shows; all of them when left out.',
      ),
      expires_in_s: described(
        Type.Optional(Type.Integer({ minimum: 1, maximum: REVEAL_SECONDS_MAX })),
        'Seconds the token works, 60 when left out.',
      ),
    }),
    answer: CardRevealToken,
    status: 201,
    run: (context, { params, body: { fields, expires_in_s: expiresIn } }) =>
      allowReveal(context, {
        cardId: params.id,
        ...(fields === undefined ? {} : { fields }),
        ...(expiresIn === undefined ? {} : { expiresIn }),
      }),
  }),
  route({
    method: 'POST',
    paths: ['/v1/cards/:id/evaluate'],
    // It changes nothing, therefore the scope read is enough.
    scope: 'read',
    entitled: 'always',
    summary:
      'Tells what an authorization would get now, why, and the most that would pass. Nothing is decided or counted.',
    family: 'card',
    params: IdParams,
    body: closed(EVALUATE_INPUT),
    answer: CardEvaluation,
    run: (context, { params, body }, ports: EvaluatePort) =>
      evaluateCard(context, { cardId: params.id, asked: body }, ports),
  }),
  route({
    method: 'PUT',
    paths: ['/v1/cards/:id/limits'],
    scope: 'write',
    entitled: 'always',
    summary: 'Replaces all limits of the card itself; an empty list removes them.',
    family: 'card',
    params: IdParams,
    body: closed({ limits: Type.Array(LimitInput, { maxItems: LIMITS_MAX }) }),
    answer: Card,
    run: (context, { params, body }) =>
      replaceLimits(context, { cardId: params.id, limits: body.limits }),
  }),
  route({
    method: 'PUT',
    paths: ['/v1/cards/:id/pin'],
    scope: 'write',
    entitled: 'always',
    summary: 'Sets the card’s PIN.',
    personFactor: 'Set the PIN of a card.',
    family: 'card',
    params: IdParams,
    body: closed({
      pin: described(
        Type.String({ pattern: '^[0-9]{4,12}$' }),
        'Four to twelve digits, stored as a keyed hash and never shown.',
      ),
    }),
    answer: Card,
    run: (context, { params, body }) => setPin(context, { cardId: params.id, pin: body.pin }),
  }),
  ...cardOperatorRoutes,
]

async function readCard({ sql, principal }: Context, id: string): Promise<Card> {
  const card = await findCard(sql, principal, id)
  if (card === null) throw new Refusal('resource_missing')
  return cardView(card)
}

async function readCards(
  { sql, principal }: Context,
  query: PageQuery & CardFilters,
): Promise<Page<Card>> {
  return mapPage(await listCards(sql, principal, query), cardView)
}
