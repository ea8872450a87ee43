// An operator's effect: two sendings of one form. The first shows the effect and its fields, and
// asks for a passkey; the second carries the passkey's answer, which is good for exactly that call.
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Html, html, url } from '../../../shared/html.ts'
import { formOf } from '../effects.ts'
import { FieldProblem, type Form, type Problem, Refused } from '../page.ts'
import { area, confirmed, field, hidden, select } from '../parts/form.ts'
import { panelError, section } from '../parts/panel.ts'
import { secretOnce } from '../parts/secret.ts'
import { wordsOf } from '../parts/tag.ts'
import type { OperatorAtWork, OperatorPort } from '../port.ts'
import { createReads, type DeskShown, need, outcomeOf } from './desk.ts'
import { type DeskField, type DeskMove, NONE } from './moves.ts'

const DAY_S = 86_400
/** The hidden field of a moment, beside that of its days. */
const MOMENT = '_moment'

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

/**
 * The call of a form. Throws `FieldProblem` for a field that cannot be sent, and `Refused` where
 * the tenant's clock does not answer.
 */
async function callOf(
  move: DeskMove,
  id: string,
  form: Form,
  desk: ClockReader,
): Promise<DeskCall> {
  const body: { [name: string]: unknown } = {}
  const fields = move.fields ?? []
  const inPath = fields.filter((of) => of.inPath === true).map(({ name }) => [name, form(name)])
  const named = new Map([['id', id], ...(inPath as [string, string][])])
  const filled = (path: string): string =>
    '/operator/v1' +
    path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(named.get(name) ?? ''))
  for (const of of fields) {
    const text = form(of.name)
    if (of.inPath === true || (text === '' && of.isOptional === true)) continue
    if (of.kind === 'days') body[of.name] = await momentOf(of, form, { ...desk, filled })
    else body[of.name] = fieldValue(of, text)
  }
  return { path: filled(move.path), body }
}

interface ClockReader {
  read(path: string): Promise<{ now: number }>
}

/**
 * Unix seconds by the tenant's clock, as many days from now. The second sending has the moment of
 * the first: the passkey signs a moment, and it does not move while the page is open.
 */
async function momentOf(
  { name, clock = '' }: DeskField,
  form: Form,
  { read, filled }: ClockReader & { filled(path: string): string },
): Promise<number> {
  const kept = form(name + MOMENT)
  if (kept !== '') return wholeNumber(name, kept)
  const days = wholeNumber(name, form(name))
  // The clock shows whole seconds that have passed: one more keeps the last day whole.
  return (await read(filled(clock))).now + 1 + days * DAY_S
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new FieldProblem(name, 'Type a whole number.')
  return Number(text)
}

function fieldValue({ name, kind }: DeskField, text: string): unknown {
  if (kind === 'yes_no') return text === 'true'
  if (kind === 'lines') return text.split(/\s+/).filter((line) => line !== '')
  if (kind === 'text' || kind === 'choice') return text
  return wholeNumber(name, text)
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
  const form = formOf(request)
  try {
    const { ask } = createReads(port.openFetch(request, operator, null))
    const call = await callOf(move, id, form, { read: (path) => need({ ask }, path) })
    const fingerprint = fingerprintOf(move.method, call)
    if (form('signature') === '') return confirmPage(move, { ...work, call, fingerprint })
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
        'idempotency-key': form('form_id'),
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      ...(hasBody && { body: JSON.stringify(call.body) }),
    })
    if (!made.ok) return problemShown(move, id, made.problem)
    const back = move.back.replace('{id}', encodeURIComponent(id))
    if (move.showsSecret === true) return secretShown(move, back, { value: made.value, isRepeat })
    return { location: back + '?done=' + name }
  } catch (error) {
    if (error instanceof Refused) return problemShown(move, id, error.problem)
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
  const kept = ['form_id', ...(move.fields ?? []).map(({ name }) => name)].map(
    (name) => [name, form(name)] as const,
  )
  const moments = (move.fields ?? [])
    .filter(({ kind }) => kind === 'days')
    .map(({ name }) => [name + MOMENT, String(call.body[name])] as const)
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
${[...kept, ...moments].map(([name, value]) => hidden(name, value))}<input type="hidden" name="ceremony" value="${offer?.sealed ?? ''}">
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

function problemShown(move: DeskMove, id: string, problem: Problem): DeskShown {
  const back = move.back.replace('{id}', encodeURIComponent(id))
  return {
    title: 'This did not work',
    status: problem.status === 0 ? 200 : problem.status,
    content: html`<header class="head"><h1>This did not work</h1></header>${panelError(problem)}<p><a class="button plain" href="${url(back)}">Go back</a></p>`,
  }
}

function secretShown(
  move: DeskMove,
  back: string,
  { value, isRepeat }: { value: unknown; isRepeat: boolean },
): DeskShown {
  const { secret } = value as { secret: string | null }
  return {
    title: move.done,
    status: 201,
    content: html`<header class="head"><h1>${move.done}</h1><span class="actions"><a class="button plain" href="${url(back)}">Go back</a></span></header>
${section('Secret', secret === null ? html`<p>A public platform has none.</p>` : secretOnce(secret, isRepeat))}`,
  }
}
