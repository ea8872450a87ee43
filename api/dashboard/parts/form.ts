// Forms and their fields. Each form has an id of its own, which becomes the Idempotency-Key: a
// double click acts once.

import { type Html, html, url } from '../../../shared/html.ts'
import { randomSecret } from '../../../shared/id.ts'
import type { Problem } from '../page.ts'
import { panelError } from './panel.ts'

const FORM_ID_BYTES = 18

export interface Button {
  label: string
  mood?: 'primary' | 'danger' | 'plain'
}

/** A form of one action. */
export function form(of: {
  action: string
  fields?: Html | readonly Html[] | null
  button: Button
  problem?: Problem | null
  /** A second button of the form. */
  beside?: Html | null
  /** The form has a file. */
  isUpload?: true
}): Html {
  const { fields = null, problem = null, beside = null } = of
  const encoding =
    of.isUpload === true ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  return html`<form method="post" action="${url(of.action)}" enctype="${encoding}" class="form">${
    problem === null ? null : panelError(problem)
  }<input type="hidden" name="form_id" value="${randomSecret(FORM_ID_BYTES)}">${fields}<div class="actions">${submit(of.button)}${beside}</div></form>`
}

/** A form of a single button, in line with others. */
export function buttonForm(action: string, button: Button, fields: Html | null = null): Html {
  return html`<form method="post" action="${url(action)}" class="inline"><input type="hidden" name="form_id" value="${randomSecret(FORM_ID_BYTES)}">${fields}${submit(button)}</form>`
}

/** The button of boxes that stand elsewhere on the page, and name this form by its id. */
export function boxesForm(id: string, action: string, button: Button): Html {
  return html`<form method="post" action="${url(action)}" id="${id}" class="inline"><input type="hidden" name="form_id" value="${randomSecret(FORM_ID_BYTES)}">${submit(button)}</form>`
}

function submit({ label, mood = 'primary' }: Button): Html {
  return html`<button class="${mood}">${label}</button>`
}

/**
 * A button that opens a dialog with the effect in words, and the form inside it. A button that is
 * plain among others is the main one of its dialog.
 */
export function confirmed(of: {
  id: string
  action: string
  button: Button
  title: string
  text: string
  fields?: Html | null
}): Html {
  const { id, button, fields = null } = of
  const { label, mood = 'plain' } = button
  const main = { label, mood: mood === 'plain' ? 'primary' : mood } as const
  return html`<button type="button" class="${mood}" commandfor="${id}" command="show-modal">${label}…</button>
<dialog id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${of.title}</h2><p>${of.text}</p>${form({ action: of.action, fields, button: main, beside: html`<button type="button" class="plain" commandfor="${id}" command="close">Back</button>` })}</dialog>`
}

interface FieldOf {
  name: string
  label: string
  value?: string
  hint?: string
  required?: boolean
  /** An example inside the empty field. */
  placeholder?: string
}

/** One line of text. */
export function field(
  of: FieldOf & { type?: 'text' | 'email' | 'url' | 'date' | 'datetime-local'; max?: number },
): Html {
  const { name, value = '', type = 'text', max = 200, placeholder = '' } = of
  return html`<label>${of.label}${hintOf(of)}${
    of.required === true
      ? html`<input name="${name}" type="${type}" value="${value}" maxlength="${max}" placeholder="${placeholder}" autocomplete="off" required>`
      : html`<input name="${name}" type="${type}" value="${value}" maxlength="${max}" placeholder="${placeholder}" autocomplete="off">`
  }</label>`
}

/** A secret in digits: nobody reads it over the shoulder, and no page shows it again. */
export function secretField(of: Omit<FieldOf, 'value'>): Html {
  return html`<label>${of.label}${hintOf(of)}<input name="${of.name}" type="password" inputmode="numeric" maxlength="64" autocomplete="off" required></label>`
}

/** Text of several lines. */
export function area(of: FieldOf & { rows?: number }): Html {
  const { name, value = '', rows = 4 } = of
  return html`<label>${of.label}${hintOf(of)}<textarea name="${name}" rows="${rows}" autocomplete="off">${value}</textarea></label>`
}

/** A file, which the form sends with its other fields. */
export function fileField(of: Omit<FieldOf, 'value'>): Html {
  return html`<label>${of.label}${hintOf(of)}<input name="${of.name}" type="file" accept="image/png,image/jpeg,image/webp" required></label>`
}

export type Option = readonly [value: string, label: string]

/** One of several. */
export function select(of: FieldOf & { options: readonly Option[] }): Html {
  return html`<label>${of.label}${hintOf(of)}<select name="${of.name}">${of.options.map((each) =>
    option(each, of.value ?? ''),
  )}</select></label>`
}

function option([value, label]: Option, chosen: string): Html {
  return value === chosen
    ? html`<option value="${value}" selected>${label}</option>`
    : html`<option value="${value}">${label}</option>`
}

/** A box that is on or off; on sends `true`. */
export function check(of: FieldOf): Html {
  const box =
    of.value === 'true'
      ? html`<input type="checkbox" name="${of.name}" value="true" checked>`
      : html`<input type="checkbox" name="${of.name}" value="true">`
  return html`<label class="check">${box} <span>${of.label}${hintOf(of)}</span></label>`
}

/** A value that the reader does not change. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

function hintOf({ hint }: FieldOf): Html | null {
  return hint === undefined ? null : html` <small>${hint}</small>`
}
