// An operator's effect: two sendings of one form. The first shows the effect and its fields, and
// asks for a passkey; the second carries the passkey's answer, which is good for exactly that call.
import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type Html, html, url } from '../../../shared/html.ts'
import { formOf } from '../effects.ts'
import { FieldProblem, type Form, type Problem } from '../page.ts'
import { area, confirmed, field, hidden, select } from '../parts/form.ts'
import { panelError, section } from '../parts/panel.ts'
import { secretOnce } from '../parts/secret.ts'
import { wordsOf } from '../parts/tag.ts'
import type { OperatorAtWork, OperatorPort } from '../port.ts'
import { type DeskShown, outcomeOf } from './desk.ts'
import type { DeskField, DeskMove } from './moves.ts'

const DAY_S = 86_400

/** The button of a move, with the dialog of its fields. `NONE` stands for a move without an id. */
export function moveButton(name: string, move: DeskMove, id: string = NONE): Html {
  const { label, text, fields = [], isGrave } = move
  return confirmed({
    ...{ id: name + '-' + id, action: '/operator/do/' + name + '/' + encodeURIComponent(id) },
    button: { label, mood: isGrave === true ? 'danger' : 'plain' },
    ...{ title: label + '?', text },
    fields: html`${fields.map((of) => fieldOf(of))}`,
  })
}

/** The id of a move that is about no resource. */
const NONE = '-'

function fieldOf({ name, label, kind, options = [], hint, isOptional }: DeskField): Html {
  const note = hint ?? (isOptional === true ? 'optional' : undefined)
  const of = { name, label, ...(note === undefined ? {} : { hint: note }) }
  if (kind === 'lines') return area({ ...of, rows: 3 })
  if (kind === 'yes_no')
    return select({
      ...of,
      options: [
        ['true', 'yes'],
        ['false', 'no'],
      ],
    })
  if (kind === 'choice')
    return select({ ...of, options: options.map((one) => [one, wordsOf(one)] as const) })
  return field({ ...of, required: isOptional !== true })
}

interface DeskCall {
  path: string
  body: { [name: string]: unknown }
}

/** The call of a form. Throws `FieldProblem` for a field that cannot be sent. */
function callOf(move: DeskMove, id: string, form: Form, nowMs: number): DeskCall {
  const body: { [name: string]: unknown } = {}
  let path = '/operator/v1' + move.path.replace('{id}', encodeURIComponent(id))
  for (const of of move.fields ?? []) {
    const text = form(of.name)
    if (text === '' && of.isOptional === true) continue
    if (of.inPath === true) path = path.replace('{' + of.name + '}', encodeURIComponent(text))
    else body[of.name] = fieldValue(of, text, nowMs)
  }
  return { path, body }
}

function fieldValue({ name, kind }: DeskField, text: string, nowMs: number): unknown {
  if (kind === 'yes_no') return text === 'true'
  if (kind === 'lines') return text.split(/\s+/).filter((line) => line !== '')
  if (kind === 'text' || kind === 'choice') return text
  if (!/^\d{1,12}$/.test(text)) throw new FieldProblem(name, 'Type a whole number.')
  return kind === 'days' ? Math.floor(nowMs / 1000 / DAY_S + Number(text)) * DAY_S : Number(text)
}

/** 64 hex digits over the call: the passkey's answer is good for no other content of the form. */
function fingerprintOf(method: string, { path, body }: DeskCall): string {
  return hash('sha256', JSON.stringify([method, path, body]))
}

export interface Work {
  port: OperatorPort
  request: FastifyRequest
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
  const form = formOf(request)
  try {
    const call = callOf(move, id, form, request.admittedAtMs)
    const fingerprint = fingerprintOf(move.method, call)
    if (form('signature') === '') return confirmPage(move, { ...work, call, fingerprint })
    const proved = await port.prove(request, operator, fingerprint)
    if ('sentence' in proved)
      return confirmPage(move, { ...work, call, fingerprint, sentence: proved.sentence })
    const fetch = port.openFetch(request, operator, proved)
    const hasBody = move.method !== 'DELETE'
    const made = await outcomeOf(fetch, call.path, {
      method: move.method,
      headers: {
        'idempotency-key': form('form_id'),
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      ...(hasBody && { body: JSON.stringify(call.body) }),
    })
    if (!made.ok) return problemShown(move, id, made.problem)
    const back = move.back.replace('{id}', encodeURIComponent(id))
    if (move.showsSecret === true) return secretShown(move, back, made.value)
    return { location: back + '?done=' + name }
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error
    const { field: param, message } = error
    return problemShown(move, id, {
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
  const form = formOf(request)
  const kept = [form('form_id'), ...(move.fields ?? []).map(({ name }) => form(name))]
  const names = ['form_id', ...(move.fields ?? []).map(({ name }) => name)]
  const shown = Object.entries({ ...call.body })
  return {
    title: 'Confirm with a passkey',
    status: sentence === undefined ? 200 : 422,
    scripts: ['passkey.js'],
    content: html`<header class="head"><h1>Confirm with a passkey</h1></header>
<section class="panel narrow"><p class="asked">${move.text}</p>
<dl class="facts"><div><dt>Call</dt><dd><code>${move.method} ${call.path}</code></dd></div>${shown.map(
      ([name, value]) =>
        html`<div><dt>${wordsOf(name)}</dt><dd>${typeof value === 'string' ? value : JSON.stringify(value)}</dd></div>`,
    )}</dl>
${sentence === undefined ? null : html`<p class="notice bad" role="alert">${sentence}</p>`}
<p class="notice bad" id="passkey-problem" role="alert" tabindex="-1" hidden></p>
<form method="post" action="${url(request.url)}" class="form" data-get="${offer?.options ?? ''}">
${names.map((name, at) => hidden(name, kept[at] ?? ''))}<input type="hidden" name="ceremony" value="${offer?.sealed ?? ''}">
<input type="hidden" name="credential_id"><input type="hidden" name="authenticator_data"><input type="hidden" name="client_data_json"><input type="hidden" name="signature"><input type="hidden" name="user_handle">
<div class="actions"><button class="primary" data-passkey hidden>Use a passkey</button></div></form>
<noscript><p class="problem">An operator’s change needs a passkey, and a passkey needs JavaScript.</p></noscript></section>`,
  }
}

function problemShown(move: DeskMove, id: string, problem: Problem): DeskShown {
  const back = move.back.replace('{id}', encodeURIComponent(id))
  return {
    title: 'This did not work',
    status: problem.status === 0 ? 200 : problem.status,
    content: html`<header class="head"><h1>This did not work</h1></header>${panelError(problem)}<p><a class="button plain" href="${url(back)}">Go back</a></p>`,
  }
}

function secretShown(move: DeskMove, back: string, answer: unknown): DeskShown {
  const { secret } = answer as { secret: string | null }
  return {
    title: move.done,
    status: 201,
    content: html`<header class="head"><h1>${move.done}</h1><span class="actions"><a class="button plain" href="${url(back)}">Go back</a></span></header>
${section('Secret', secret === null ? html`<p>A public platform has none.</p>` : secretOnce(secret, false))}`,
  }
}
