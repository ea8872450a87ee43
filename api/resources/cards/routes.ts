// The endpoints of cards. Spec 4.2 lists the first; the others are ours.
import { Type } from 'typebox'
import { CARD_STATUSES, Card, LIMIT_INTERVALS } from '../../../shared/schemas/card.ts'
import { CardEvaluation, EVALUATE_INPUT } from '../../../shared/schemas/card-evaluation.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { ExternalId } from '../../../shared/schemas/own-data.ts'
import { CREATED_FILTERS } from '../../created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, IdParams, Reason, type Route, route } from '../../route.ts'
import { evaluateCard } from './evaluate.ts'
import { readCard, readCards } from './read.ts'
import { replaceCard } from './replace.ts'
import { LIMITS_MAX, replaceLimits } from './replace-limits.ts'
import { resumeCard } from './resume.ts'
import { setPin } from './set-pin.ts'
import { suspendCard } from './suspend.ts'

const LimitInput = closed({
  interval: Type.Enum([...LIMIT_INTERVALS]),
  /** 0 allows nothing; no limit is an absent one. */
  amount_cents: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  time_zone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
})

export const cardRoutes: readonly Route[] = [
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
    paths: ['/v1/cards/:id/suspend'],
    scope: 'write',
    summary: 'Suspends a card: authorizations are declined until it is resumed.',
    family: 'card',
    params: IdParams,
    body: closed({ reason: Reason }),
    answer: Card,
    run: (context, { params, body }) =>
      suspendCard(context, { cardId: params.id, reason: body.reason ?? null }),
  }),
  route({
    method: 'POST',
    paths: ['/v1/cards/:id/resume'],
    scope: 'write',
    summary: 'Makes a suspended card active again.',
    family: 'card',
    params: IdParams,
    answer: Card,
    run: (context, { params }) => resumeCard(context, { cardId: params.id }),
  }),
  route({
    method: 'POST',
    paths: ['/v1/cards/:id/replace'],
    scope: 'write',
    summary:
      'Terminates a card and issues another one in its place, which keeps its controls and what they counted.',
    family: 'card',
    params: IdParams,
    body: closed({ reason: Reason }),
    answer: Card,
    status: 201,
    run: (context, { params, body }) =>
      replaceCard(context, { cardId: params.id, reason: body.reason ?? null }),
  }),
  route({
    method: 'POST',
    paths: ['/v1/cards/:id/evaluate'],
    // It changes nothing, so who may read may ask.
    scope: 'read',
    summary:
      'Tells what an authorization would get now, why, and the most that would pass. Nothing is decided or counted.',
    family: 'card',
    params: IdParams,
    body: closed(EVALUATE_INPUT),
    answer: CardEvaluation,
    run: (context, { params, body }) => evaluateCard(context, { cardId: params.id, asked: body }),
  }),
  route({
    method: 'PUT',
    paths: ['/v1/cards/:id/limits'],
    scope: 'write',
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
    summary: 'Sets the card’s PIN.',
    family: 'card',
    params: IdParams,
    body: closed({ pin: Type.String({ pattern: '^[0-9]{4,12}$' }) }),
    answer: Card,
    run: (context, { params, body }) => setPin(context, { cardId: params.id, pin: body.pin }),
  }),
]
