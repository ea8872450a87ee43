// An operator's effect: two sendings of one form. The first shows the effect and its fields, and
// asks for a passkey; the second carries the passkey's answer, which is good for exactly that call.
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Html, html, url } from '../../../shared/html.ts'
import { formOf } from '../effects.ts'
import { FieldProblem, type Form, type Problem, Refused } from '../page.ts'
import { confirmed, form, hidden } from '../parts/form.ts'
import { panelError, section } from '../parts/panel.ts'
import { secretOnce } from '../parts/secret.ts'
import type { OperatorAtWork, OperatorPort } from '../port.ts'
import { createReads, type DeskShown, need, outcomeOf } from './desk.ts'
import { callOf, type DeskCall, type DeskValues, inputsOf } from './fields.ts'
import { type DeskMove, NONE } from './move.ts'

/** The button of a move, with the dialog of its fields. `NONE` stands for a move without an id. */
export function moveButton(
  name: string,
  move: DeskMove,
  { id = NONE, values }: { id?: string | undefined; values?: DeskValues | undefined } = {},
): Html {
  const { label, text, fields = [], isGrave } = move
  return confirmed({
    ...{ id: name + '-' + id, action: actionOf(name, id) },
    button: { label, mood: isGrave === true ? 'danger' : 'plain' },
    ...{ title: label, text, fields: inputsOf(fields, values) },
  })
}

/** The form of a move with many fields, as a part of its page. */
export function moveForm(
  name: string,
  move: DeskMove,
  { id = NONE, values }: { id?: string; values?: DeskValues },
): Html {
  const { label, fields = [], isGrave } = move
  return form({
    ...{ action: actionOf(name, id), fields: inputsOf(fields, values) },
    button: { label, mood: isGrave === true ? 'danger' : 'primary' },
  })
}

function actionOf(name: string, id: string): string {
  return '/operator/do/' + name + '/' + encodeURIComponent(id)
}

/** 64 hex digits over the call: the passkey's answer is good for no other content of the form. */
function fingerprintOf(method: string, { path, body }: DeskCall): string {
  return hash('sha256', JSON.stringify([method, path, body]))
}

export interface Work {
  port: OperatorPort
  request: FastifyRequest
  reply: FastifyReply
  operator: OperatorAtWork
}

/** Runs a move. Returns a page to show, or the address to go to. */
export async function runMove(
  name: string,
  move: DeskMove,
  work: Work,
): Promise<DeskShown | { location: string }> {
  const { port, request, operator } = work
  const { id = NONE } = request.params as { id?: string }
  const sent = formOf(request)
  const failed = (problem: Problem): DeskShown => problemShown({ name, move, id, sent }, problem)
  try {
    const { ask } = createReads(port, request, operator)
    const readClock = (path: string): Promise<{ now: number }> => need({ ask }, path)
    const call = await callOf(move, { id, form: sent, readClock })
    const fingerprint = fingerprintOf(move.method, call)
    if (sent('signature') === '') return confirmPage(move, { ...work, call, fingerprint })
    const proved = await port.prove(request, operator, fingerprint)
    if ('isRepeat' in proved) return repeatShown(move, id)
    if ('sentence' in proved)
      return confirmPage(move, { ...work, call, fingerprint, sentence: proved.sentence })
    if (proved.cookie !== null) work.reply.header('Set-Cookie', proved.cookie)
    const opened = port.openFetch(request, operator, proved)
    let isRepeat = false
    const fetch: typeof globalThis.fetch = async (address, init) => {
      const answer = await opened(address, init)
      isRepeat = answer.headers.get('idempotent-replayed') === 'true'
      return answer
    }
    const hasBody = move.method !== 'DELETE'
    const made = await outcomeOf(fetch, call.path, {
      method: move.method,
      headers: {
        'idempotency-key': sent('form_id'),
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      ...(hasBody && { body: JSON.stringify(call.body) }),
    })
    if (!made.ok) return failed(made.problem)
    const back = move.back.replace('{id}', encodeURIComponent(id))
    if (move.showsSecret === true) return secretShown(move, back, { value: made.value, isRepeat })
    return { location: back + '?done=' + name }
  } catch (error) {
    if (error instanceof Refused) return failed(error.problem)
    if (!(error instanceof FieldProblem)) throw error
    const { field: param, message } = error
    return failed({
      ...{ status: 422, code: 'parameter_invalid', message, param, requestId: null, detail: {} },
    })
  }
}

interface Asked extends Work {
  call: DeskCall
  fingerprint: string
  sentence?: string
}

function confirmPage(move: DeskMove, asked: Asked): DeskShown {
  const { port, request, operator, call, fingerprint, sentence } = asked
  const offer = port.offerProof(request, operator, fingerprint)
  const sent = formOf(request)
  const kept = ['form_id', ...(move.fields ?? []).map(({ name }) => name)].map(
    (name) => [name, sent(name)] as const,
  )
  return {
    title: 'Confirm with a passkey',
    status: sentence === undefined ? 200 : 422,
    scripts: ['passkey.js'],
    content: html`<header class="head"><h1>Confirm with a passkey</h1></header>
<section class="panel narrow"><p class="asked">${move.text}</p>
<dl class="facts"><div><dt>Call</dt><dd><code>${move.method} ${call.path}</code></dd></div>${call.shown.map(
      ([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`,
    )}</dl>
${sentence === undefined ? null : html`<p class="notice bad" role="alert">${sentence}</p>`}
<p class="notice bad" id="passkey-problem" role="alert" tabindex="-1" hidden></p>
<form method="post" action="${url(request.url)}" class="form" data-get="${offer?.options ?? ''}">
${[...kept, ...call.moments].map(([name, value]) => hidden(name, value))}<input type="hidden" name="ceremony" value="${offer?.sealed ?? ''}">
<input type="hidden" name="credential_id"><input type="hidden" name="authenticator_data"><input type="hidden" name="client_data_json"><input type="hidden" name="signature"><input type="hidden" name="user_handle">
<div class="actions"><button class="primary" data-passkey hidden>Use a passkey</button></div></form>
<noscript><p class="problem">An operator’s change needs a passkey, and a passkey needs JavaScript.</p></noscript></section>`,
  }
}

/** The first sending may have worked, or was refused by the API: its page shows which. */
function repeatShown(move: DeskMove, id: string): DeskShown {
  const back = move.back.replace('{id}', encodeURIComponent(id))
  return {
    title: 'This form was sent before',
    status: 422,
    content: html`<header class="head"><h1>This form was sent before</h1></header><section class="panel narrow"><p>It acts once: the second sending did nothing. The page shows what the first one did.</p><p><a class="button primary" href="${url(back)}">See its page</a></p></section>`,
  }
}

interface Failed {
  name: string
  move: DeskMove
  id: string
  sent: Form
}

/** The problem, and the form again with what was typed. */
function problemShown({ name, move, id, sent }: Failed, problem: Problem): DeskShown {
  const { fields = [] } = move
  const back = move.back.replace('{id}', encodeURIComponent(id))
  const values = Object.fromEntries(fields.map((of) => [of.name, sent(of.name)]))
  const isTyped = fields.some(({ kind }) => kind !== 'given')
  const again = isTyped ? section(move.text, moveForm(name, move, { id, values })) : null
  return {
    title: 'This did not work',
    status: problem.status === 0 ? 200 : problem.status,
    content: html`<header class="head"><h1>This did not work</h1><span class="actions"><a class="button plain" href="${url(back)}">Go back</a></span></header>${panelError(problem)}${again}`,
  }
}

function secretShown(
  move: DeskMove,
  back: string,
  { value, isRepeat }: { value: unknown; isRepeat: boolean },
): DeskShown {
  const shown = secretsIn(value)
  return {
    title: move.done,
    status: 201,
    content: html`<header class="head"><h1>${move.done}</h1><span class="actions"><a class="button plain" href="${url(back)}">Go back</a></span></header>
${shown.length === 0 ? section('Secret', html`<p>There is none to show.</p>`) : shown.map(([label, secret]) => section(label, secretOnce(secret, isRepeat)))}`,
  }
}

/** The secrets of an answer with their labels: a credential, or how a person signs in. */
function secretsIn(value: unknown): [label: string, secret: string][] {
  const {
    secret,
    password,
    totp_secret: totp,
    recovery_codes: codes,
  } = value as {
    secret?: string | null
    password?: string | null
    totp_secret?: string | null
    recovery_codes?: readonly string[]
  }
  const known: [string, string | null | undefined][] = [
    ['Secret', secret],
    ['Password', password],
    ['Secret of the generator', totp],
    ['Recovery codes', codes === undefined || codes.length === 0 ? null : codes.join(' ')],
  ]
  return known.filter((of): of is [string, string] => typeof of[1] === 'string')
}
