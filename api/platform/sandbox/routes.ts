// Endpoints of the sandbox only: live has none of them.
import { Type } from '../../../shared/schema-builders.ts'
import { Card } from '../../../shared/schemas/card.ts'
import { Cardholder } from '../../../shared/schemas/cardholder.ts'
import { described } from '../../../shared/schemas/described.ts'
import { DISPUTE_OUTCOMES, Dispute } from '../../../shared/schemas/dispute.ts'
import { Program } from '../../../shared/schemas/program.ts'
import {
  NetworkMessageInput,
  SandboxClock,
  SandboxWipe,
  SCENARIOS,
  SimulatedMessage,
  SimulatedScenario,
} from '../../../shared/schemas/sandbox.ts'
import { SUSPENSION_INPUT } from '../../../shared/schemas/tenant.ts'
import { parseFilterInstant } from '../../database/created-filter.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import { type ClockInput, moveClock, readClock } from './clock.ts'
import type { NetworkPort } from './network.ts'
import { simulateMessage, simulateScenario } from './simulate-network.ts'
import {
  simulateEvidenceRequired,
  simulateKyc,
  simulateOutcome,
  simulateParcel,
  simulateProgramMove,
  simulateSanctionsHit,
  simulateShipment,
} from './simulate-outside.ts'
import { wipeSandbox } from './wipe.ts'

const SIMULATE = '/v1/simulate'
/** Ten years. */
const ADVANCE_S_MAX = 10 * 366 * 86_400
const AMOUNT = 1250

const Line = Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })
const Instant = Type.String({ format: 'date-time', maxLength: 40 })
/** Several rows of free text; no control characters except those of text. */
const Words = Type.String({
  minLength: 1,
  maxLength: 5000,
  pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$',
})

const SANDBOX: readonly Route<NetworkPort>[] = [
  route({
    method: 'GET',
    paths: ['/v1/sandbox/clock'],
    summary: 'Shows what time it is in the sandbox.',
    scope: 'read',
    sandboxOnly: true,
    answer: SandboxClock,
    run: (context) => readClock(context),
  }),
  route({
    method: 'POST',
    paths: ['/v1/sandbox/clock'],
    summary:
      'Moves the sandbox’s clock forward, by seconds or to a moment: windows, holds, deadlines and retries follow.',
    scope: 'write',
    entitled: 'always',
    sandboxOnly: true,
    body: closed(
      {
        advance_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: ADVANCE_S_MAX })),
        to: Type.Optional(Instant),
      },
      { minProperties: 1 },
    ),
    answer: SandboxClock,
    run: (context, { body }) => moveClock(context, clockInput(body)),
  }),
  route({
    method: 'POST',
    paths: ['/v1/sandbox/wipe'],
    summary:
      'Empties the sandbox: programs, cardholders, cards, transactions, events, endpoints and all that belongs to them.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Delete everything in the sandbox but keys, people and the audit log.',
    sandboxOnly: true,
    answer: SandboxWipe,
    run: (context) => wipeSandbox(context),
  }),
]

const NETWORK: readonly Route<NetworkPort>[] = [
  route({
    method: 'POST',
    paths: [SIMULATE + '/card_network/messages'],
    summary: 'Has the card network send one message about a card, and shows what it is answered.',
    scope: 'write',
    entitled: 'always',
    family: 'card',
    sandboxOnly: true,
    body: NetworkMessageInput,
    answer: SimulatedMessage,
    run: (context, { body }, port: NetworkPort) => simulateMessage(context, body, port),
  }),
  route({
    method: 'POST',
    paths: [SIMULATE + '/card_network/scenarios'],
    summary:
      'Plays a short story of network messages about a card, also of what goes wrong between them.',
    scope: 'write',
    entitled: 'always',
    family: 'card',
    sandboxOnly: true,
    body: closed({
      card_id: Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }),
      scenario: described(
        Type.Enum([...SCENARIOS]),
        'An ordinary story, or a failure: duplicate (the network sends a message twice), answer_lost (the network gets no answer, repeats and reverses), authorization_lost (a capture without an authorization request), reversal_first (the reversal overtakes its authorization), delayed (ten minutes in transit).',
      ),
      amount_cents: Type.Optional(Type.Integer({ minimum: 2, maximum: 1_000_000_000 })),
    }),
    answer: SimulatedScenario,
    run: (context, { body }, port: NetworkPort) =>
      simulateScenario(context, { amount_cents: AMOUNT, ...body }, port),
  }),
]

const CARDS: readonly Route<NetworkPort>[] = [
  route({
    method: 'POST',
    paths: [SIMULATE + '/cards/:id/ship'],
    summary: 'Says that a physical card was handed to the carrier.',
    scope: 'write',
    entitled: 'always',
    family: 'card',
    sandboxOnly: true,
    params: IdParams,
    body: closed({ carrier: Type.Optional(Line), tracking_number: Type.Optional(Line) }),
    answer: Card,
    run: (context, { params: { id }, body }) =>
      simulateShipment(context, {
        cardId: id,
        carrier: body.carrier ?? 'sim-post',
        trackingNumber: body.tracking_number ?? 'SIM' + id.slice(-12).toUpperCase(),
      }),
  }),
  ...(['deliver', 'return'] as const).map((move) =>
    route({
      method: 'POST',
      paths: [SIMULATE + '/cards/:id/' + move],
      summary:
        move === 'deliver'
          ? 'Says that a shipped card has reached its address.'
          : 'Says that a shipped card has come back; it may be sent again.',
      scope: 'write',
      entitled: 'always',
      family: 'card',
      sandboxOnly: true,
      params: IdParams,
      answer: Card,
      run: (context, { params }) => simulateParcel(context, { cardId: params.id, move }),
    }),
  ),
  route({
    method: 'POST',
    paths: [SIMULATE + '/cardholders/:id/kyc'],
    summary: 'Answers the open identity verification of a cardholder in the provider’s place.',
    scope: 'write',
    entitled: 'always',
    family: 'card',
    sandboxOnly: true,
    params: IdParams,
    body: closed({
      result: Type.Enum(['approved', 'rejected', 'requires_action']),
      reasons: Type.Optional(Type.Array(Line, { maxItems: 10 })),
    }),
    answer: Cardholder,
    run: (context, { params, body }) =>
      simulateKyc(context, {
        cardholderId: params.id,
        result: body.result,
        reasons: body.reasons ?? [],
      }),
  }),
  route({
    method: 'POST',
    paths: [SIMULATE + '/cardholders/:id/sanctions_hit'],
    summary:
      'Finds a cardholder on a sanctions list that does not exist: they are frozen until it is reviewed.',
    scope: 'write',
    entitled: 'always',
    family: 'card',
    sandboxOnly: true,
    params: IdParams,
    answer: Cardholder,
    run: (context, { params }) => simulateSanctionsHit(context, params.id),
  }),
]

const DISPUTES: readonly Route<NetworkPort>[] = [
  route({
    method: 'POST',
    paths: [SIMULATE + '/disputes/:id/outcome'],
    summary: 'Decides a submitted dispute in the network’s place.',
    scope: 'write',
    entitled: 'always',
    family: 'card',
    sandboxOnly: true,
    params: IdParams,
    body: closed({ outcome: Type.Enum([...DISPUTE_OUTCOMES]) }),
    answer: Dispute,
    run: (context, { params, body }) => simulateOutcome(context, { id: params.id, ...body }),
  }),
  route({
    method: 'POST',
    paths: [SIMULATE + '/disputes/:id/require_evidence'],
    summary: 'Asks for more evidence by a deadline, in the sponsor bank’s place.',
    scope: 'write',
    entitled: 'always',
    family: 'card',
    sandboxOnly: true,
    params: IdParams,
    body: closed({ requested: Words, due_by: Type.Optional(Instant) }),
    answer: Dispute,
    run: (context, { params, body }) =>
      simulateEvidenceRequired(context, {
        id: params.id,
        requested: body.requested,
        dueBy: body.due_by === undefined ? null : parseFilterInstant(body.due_by),
      }),
  }),
]

const PROGRAMS: readonly Route<NetworkPort>[] = [
  route({
    method: 'POST',
    paths: [SIMULATE + '/programs/:id/suspend'],
    summary: 'Suspends a program as a regulator, the sponsor bank or provider risk would.',
    scope: 'write',
    entitled: 'always',
    sandboxOnly: true,
    params: IdParams,
    body: closed(SUSPENSION_INPUT),
    answer: Program,
    run: (context, { params, body }) =>
      simulateProgramMove(context, {
        programId: params.id,
        move: 'suspend',
        suspendedBy: body.suspended_by,
        reason: body.reason,
      }),
  }),
  route({
    method: 'POST',
    paths: [SIMULATE + '/programs/:id/resume'],
    summary: 'Resumes a suspended program, as only an operator can in live.',
    scope: 'write',
    entitled: 'always',
    sandboxOnly: true,
    params: IdParams,
    answer: Program,
    run: (context, { params }) =>
      simulateProgramMove(context, {
        programId: params.id,
        move: 'resume',
        suspendedBy: null,
        reason: null,
      }),
  }),
]

export const sandboxRoutes: readonly Route<NetworkPort>[] = [
  ...SANDBOX,
  ...NETWORK,
  ...CARDS,
  ...DISPUTES,
  ...PROGRAMS,
]

/** Exactly one of the two fields gives the target. */
function clockInput({ advance_seconds: seconds, to }: { advance_seconds?: number; to?: string }) {
  if (seconds !== undefined && to !== undefined)
    throw new Refusal('parameters_exclusive', { param: 'to' })
  const input: ClockInput =
    seconds === undefined
      ? { to: parseFilterInstant(to ?? '') ?? 0 }
      : { advanceMs: seconds * 1000 }
  return input
}
