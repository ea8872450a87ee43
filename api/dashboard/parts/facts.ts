// Fields of a resource, each with its name.
import { type Html, html } from '../../../shared/html.ts'

export type Fact = readonly [name: string, value: Html | string | number | null]

/** A list of fields; an absent value reads as a dash. */
export function facts(rows: readonly Fact[]): Html {
  return html`<dl class="facts">${rows.map(
    ([name, value]) =>
      html`<div><dt>${name}</dt><dd>${value === null || value === '' ? html`<span class="soft">–</span>` : value}</dd></div>`,
  )}</dl>`
}

/** A field that a resource has in some states only: no line where it is absent. */
export function ifAny(name: string, value: Html | string | number | null): readonly Fact[] {
  return value === null || value === '' ? [] : [[name, value]]
}

/** The tenant fields of a resource: external id and metadata. */
export function ownFacts(of: {
  external_id?: string | null
  metadata?: { readonly [key: string]: string }
}): readonly Fact[] {
  return [
    ['External id', of.external_id ?? null],
    ...Object.entries(of.metadata ?? {}).map(([name, value]): Fact => [name, value]),
  ]
}
