// Forms as the processor's clients send them: `lines[0][period][start]=1`, `expand[0]`, `types[]`.

/** A value of a form; a list is a form whose names are numbers. */
export type FormValue = string | Form

export interface Form {
  [name: string]: FormValue
}

const PATH = /^([^[\]]+)((?:\[[^[\]]*\])*)$/
const DEPTH_MAX = 6

/** Null where a name is malformed or a value is both text and form. */
export function parseForm(text: string): Form | null {
  const form = emptyForm()
  for (const [name, value] of new URLSearchParams(text)) {
    const path = pathOf(name)
    if (path === null || !place(form, path, value)) return null
  }
  return form
}

function pathOf(name: string): string[] | null {
  const [, head, rest] = PATH.exec(name) ?? []
  if (head === undefined || rest === undefined) return null
  const path = [head, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, part = '']) => part)]
  return path.length > DEPTH_MAX ? null : path
}

function place(form: Form, path: readonly string[], value: string): boolean {
  let at = form
  for (const [depth, part] of path.entries()) {
    const name = part === '' ? String(Object.keys(at).length) : part
    if (depth === path.length - 1) {
      at[name] = value
      return true
    }
    const next = at[name] ?? emptyForm()
    if (typeof next === 'string') return false
    at[name] = next
    at = next
  }
  return false
}

function emptyForm(): Form {
  return Object.create(null) as Form
}

/** The text of a field; null where it is absent or a form. */
export function textIn(form: Form | null, name: string): string | null {
  const value = form?.[name]
  return typeof value === 'string' ? value : null
}

/** The form of a field; null where it is absent or text. */
export function formIn(form: Form | null, name: string): Form | null {
  const value = form?.[name]
  return typeof value === 'object' ? value : null
}

/** The elements of a list in their order. */
export function itemsIn(form: Form | null, name: string): FormValue[] {
  const list = formIn(form, name)
  if (list === null) return []
  return Object.entries(list)
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([, item]) => item)
}

/** A whole number; null where the field is absent or none. */
export function integerIn(form: Form | null, name: string): number | null {
  const text = textIn(form, name)
  return text !== null && /^-?\d{1,15}$/.test(text) ? Number(text) : null
}

/** The metadata of a form, text by name. */
export function metadataIn(form: Form): { [name: string]: string } {
  const entries = Object.entries(formIn(form, 'metadata') ?? {})
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
