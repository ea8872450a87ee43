// Effects of forms: one write of the API each, under the key of the form, with the visitor's second
// factor where the API asks for it.
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { html, url } from '../../shared/html.ts'
import type { Written } from './calls.ts'
import {
  type ActionDefinition,
  FieldProblem,
  type Form,
  type Problem,
  Refused,
  type Shown,
} from './page.ts'
import { secretField } from './parts/form.ts'
import type { DashboardPort, Visitor } from './port.ts'
import { problemPage, withCure } from './problem-page.ts'
import type { Opened } from './visit.ts'

const FORM_ID = /^[\w-]{16,64}$/
/** Fields of our own, which no effect reads. */
const OWN =
  /^(?:form_id|factor_handle|code|ceremony|credential_id|authenticator_data|client_data_json|signature|user_handle)$/

const APPROVAL_PROBLEMS = {
  wrong: 'That did not match. Each code and each answer of a passkey works once.',
  throttled: 'Too many tries. Wait five minutes, then try again. Nothing was done.',
  late: 'The page was open for too long. Try again. Nothing was done.',
} as const

interface Sent extends Opened {
  port: DashboardPort
  request: FastifyRequest
  reply: FastifyReply
  visitor: Visitor
}

/** Runs the effect. Returns a page to show, or the address to go to. */
export async function runEffect(
  definition: ActionDefinition,
  sent: Sent,
): Promise<Shown | { location: string }> {
  const { visit, caller } = sent
  const form = formOf(sent.request)
  const again = async (refusal: Problem): Promise<Shown> => {
    const problem = withCure(visit, refusal)
    try {
      return (await definition.again?.(visit, form, problem)) ?? problemPage(visit, problem)
    } catch (error) {
      // The page around the form is refused too: the form's own refusal says why.
      if (error instanceof Refused) return problemPage(visit, problem)
      throw error
    }
  }
  try {
    const approved = await approvalOf(definition, sent)
    if ('shown' in approved) return approved.shown
    const { operation } = definition
    const input = await definition.input(form, visit)
    const more = definition.more?.(form, visit)
    for (const each of [input, ...(more ?? [])]) requireId(each)
    const key = { formId: form('form_id'), factor: approved.token }
    const written =
      more === undefined
        ? await caller.write({ operation, input }, key)
        : await writeEach(caller, operation, { inputs: [input, ...more], key })
    if (definition.shown !== undefined && written !== undefined)
      return definition.shown(written.answer, visit, written.isRepeat, form)
    return { location: nextOf(definition, sent, written?.answer) }
  } catch (error) {
    if (error instanceof FieldProblem) return again(fieldProblem(error))
    if (!(error instanceof Refused)) throw error
    const { problem } = error
    if (problem.code === 'factor_required') return stepUp(definition, sent, { problem })
    return again(problem)
  }
}

/**
 * Calls once for each input, each under a key of its content: a form that comes again with another
 * choice repeats what was done and does the rest. A refused call stops no other; its refusal then
 * says how many were done.
 */
async function writeEach(
  caller: Opened['caller'],
  operation: ActionDefinition['operation'],
  { inputs, key }: { inputs: readonly object[]; key: { formId: string; factor: string | null } },
) {
  const written: Written[] = []
  let refused: Refused | null = null
  for (const input of inputs) {
    const content = hash('sha256', JSON.stringify(input), 'hex').slice(0, 32)
    try {
      const formId = key.formId + '-' + content
      written.push(await caller.write({ operation, input }, { ...key, formId }))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      refused ??= error
    }
  }
  const [first] = written
  if (refused === null) return first
  const { problem } = refused
  if (first === undefined) throw refused
  const done = written.length
  const message =
    done + ' of ' + inputs.length + ' were done, and not the others: ' + problem.message
  throw new Refused({ ...problem, status: 422, message, detail: { ...problem.detail, done } })
}

function nextOf(definition: ActionDefinition, { visit, request }: Sent, answer: unknown): string {
  const above = (request.url.split('?', 1)[0] ?? '').replace(/\/[^/]+$/, '')
  const target = definition.next === undefined ? above : visit.to(definition.next(answer, visit))
  const name = encodeURIComponent(definition.path)
  return target + (target.includes('?') ? '&' : '?') + 'done=' + name
}

/** Fields of the form that the request carries; reading `form_id` throws for a form without one. */
export function formOf({ body }: FastifyRequest): Form {
  const sent = body instanceof URLSearchParams ? body : new URLSearchParams()
  const id = sent.get('form_id') ?? ''
  return (name) => {
    if (name !== 'form_id') return (sent.getAll(name).join(',') ?? '').trim().replaceAll('\0', '')
    if (!FORM_ID.test(id)) throw new FieldProblem('form_id', 'Open the form again and send it.')
    return id
  }
}

/** A form by hand may name no resource; there is no address without one. */
function requireId(input: object): void {
  if ('id' in input && !/^[a-z]+_[0-9a-z]+$/.test(String(input.id)))
    throw new FieldProblem('id', 'The form names no resource. Open its page again.')
}

function fieldProblem({ field, message }: FieldProblem): Problem {
  return {
    ...{ status: 422, code: 'parameter_invalid', message, param: field },
    ...{ requestId: null, detail: {} },
  }
}

type Approved = { token: string | null } | { shown: Shown }

/** The token of the approval that the form carries; null for a form without one. */
async function approvalOf(definition: ActionDefinition, sent: Sent): Promise<Approved> {
  const { port, request, visitor, visit } = sent
  const { body } = request
  const handle = body instanceof URLSearchParams ? body.get('factor_handle') : null
  if (handle === null) return { token: null }
  const { member } = visit
  const approved = await port.approve(request, { visitor, member, handle })
  if (typeof approved !== 'string') {
    if (approved.cookie !== null) sent.reply.header('Set-Cookie', approved.cookie)
    return { token: approved.token }
  }
  // The same form again, by a reload or a double click: the API answers it as it did, or asks anew.
  if (approved === 'too_late') return { token: null }
  return {
    shown: await stepUp(definition, sent, { handle, sentence: APPROVAL_PROBLEMS[approved] }),
  }
}

type Why = { problem: Problem } | { handle: string; sentence: string }

/** The page that asks for the visitor's second factor, with the form inside it. */
async function stepUp(definition: ActionDefinition, sent: Sent, why: Why): Promise<Shown> {
  const { port, request, visit } = sent
  const handle = 'handle' in why ? why.handle : handleIn(why.problem)
  const offer = await port.offerApproval(request, handle)
  const body = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const { secrets = [] } = definition
  const isKept = (name: string): boolean => secrets.every((secret) => secret.name !== name)
  const kept = [...body].filter(([name]) => name === 'form_id' || (!OWN.test(name) && isKept(name)))
  const content = html`<header class="head"><h1>Confirm that it is you</h1></header>
<section class="panel narrow"><p class="asked">${definition.label}</p>
<p class="soft">${visit.environment === 'live' ? 'In live. ' : ''}Your approval is good for exactly this, once.</p>
${'sentence' in why ? html`<p class="notice bad" role="alert">${why.sentence}</p>` : null}
<p class="notice bad" id="passkey-problem" role="alert" tabindex="-1" hidden></p>
<form method="post" action="${url(request.url)}" class="form" data-get="${offer?.options ?? ''}">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<input type="hidden" name="factor_handle" value="${handle}"><input type="hidden" name="ceremony" value="${offer?.sealed ?? ''}">
<input type="hidden" name="credential_id"><input type="hidden" name="authenticator_data"><input type="hidden" name="client_data_json"><input type="hidden" name="signature"><input type="hidden" name="user_handle">
${secrets.map(({ name, label }) => secretField({ name, label, hint: 'again: no page keeps it' }))}<label>Code <small>from your authenticator, or a recovery code</small><input name="code" autocomplete="one-time-code" autocapitalize="off" spellcheck="false" maxlength="32" required></label>
<div class="actions"><button class="primary">Confirm</button><button formnovalidate data-passkey hidden>Use a passkey</button></div></form>
<p class="soft">You have neither? <a href="/account">Set up your second factor</a> first: a password alone approves nothing.</p></section>`
  const status = 'sentence' in why ? 422 : 200
  return { title: 'Confirm that it is you', content, status, scripts: ['passkey.js'] }
}

function handleIn({ detail }: Problem): string {
  const address = detail['challenge_url']
  return typeof address === 'string' ? (address.split('/').at(-1) ?? '') : ''
}

/** The sentence of an action that worked, for the page after it. */
export function doneSentence(
  actions: readonly ActionDefinition[],
  name: string | null,
): string | null {
  return actions.find(({ path }) => path === name)?.done ?? null
}
