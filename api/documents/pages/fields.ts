// Fields of a schema as a list: name, type, whether the field is required, and its meaning; nested
// objects can be opened.
import { type Html, html, url } from '../../../shared/html.ts'
import type { OpenApiDocument, Parameter, Schema } from '../document.ts'
import { resolve } from '../example.ts'
import { prose } from './layout.ts'
import { valuesPathOf } from './values-page.ts'

type Schemas = OpenApiDocument['components']['schemas']

/** Most levels of nested objects that can be opened. */
const DEPTH_MAX = 4
const VALUES_SHOWN_MAX = 24

export function parameterList(parameters: readonly Parameter[], schemas: Schemas): Html {
  return html`<dl class="fields">${parameters.map((parameter) =>
    field(
      { name: parameter.name, required: parameter.required, sent: true },
      {
        ...parameter.schema,
        ...(parameter.description === undefined ? {} : { description: parameter.description }),
      },
      { schemas, depth: 0 },
    ),
  )}</dl>`
}

/** `sent`: fields sent by the caller, who must know which ones are optional. */
export function fieldList(schema: Schema, schemas: Schemas, sent: boolean, depth = 0): Html {
  const { properties = {}, required = [] } = resolve(schema, schemas)
  return html`<dl class="fields">${Object.entries(properties).map(([name, part]) =>
    field({ name, required: required.includes(name), sent }, part, { schemas, depth }),
  )}</dl>`
}

function field(
  { name, required, sent }: { name: string; required: boolean; sent: boolean },
  schema: Schema,
  { schemas, depth }: { schemas: Schemas; depth: number },
): Html {
  const resolved = resolve(schema, schemas)
  const inner = depth < DEPTH_MAX ? innerObject(resolved, schemas) : null
  const mark = sent
    ? required
      ? html`<b class="required">required</b>`
      : null
    : required
      ? null
      : html`<span class="optional">may be absent</span>`
  return html`<dt><code>${name}</code> <span class="type">${typeLink(schema, schemas)}</span> ${mark}</dt>
<dd>${resolved.description === undefined ? null : html`<p>${prose(resolved.description.split('\n', 1)[0] ?? '')}</p>`}${defaultOf(resolved)}${valuesOf(resolved)}${
    inner === null
      ? null
      : html`<details><summary>Fields of <code>${name}</code></summary>${fieldList(inner, schemas, sent, depth + 1)}</details>`
  }</dd>`
}

function innerObject(schema: Schema, schemas: Schemas): Schema | null {
  const option = schema.anyOf?.find(({ type }) => type !== 'null')
  const shown = resolve(option ?? schema.items ?? schema, schemas)
  const item = shown.items === undefined ? shown : resolve(shown.items, schemas)
  return item.properties === undefined || Object.keys(item.properties).length === 0 ? null : item
}

/** The type, linked where the values have a page. */
function typeLink(schema: Schema, schemas: Schemas): Html {
  const named = [schema, ...(schema.anyOf ?? []), schema.items ?? {}].find(
    ({ $ref }) => $ref !== undefined,
  )
  const name = named?.$ref?.slice(named.$ref.lastIndexOf('/') + 1) ?? ''
  const path = valuesPathOf(name)
  const text = typeText(schema, schemas)
  return path === null ? html`${text}` : html`<a href="${url(path)}">${text}</a>`
}

function defaultOf({ default: given }: Schema): Html | null {
  return given === undefined
    ? null
    : html`<p class="default">Default: <code>${JSON.stringify(given)}</code></p>`
}

function typeText(schema: Schema, schemas: Schemas): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if (schema.anyOf !== undefined)
    return schema.anyOf.map((one) => typeText(one, schemas)).join(' or ')
  if (schema.type === 'array') return 'list of ' + typeText(schema.items ?? {}, schemas)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const types = [schema.type ?? 'anything'].flat()
  const format = schema['format'] === undefined ? '' : ' (' + String(schema['format']) + ')'
  return types.join(' or ') + format + boundsOf(schema)
}

function boundsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, maxItems } = schema
  const unbounded = maximum === Number.MAX_SAFE_INTEGER || maximum === undefined
  if (minimum !== undefined)
    return unbounded ? ', at least ' + minimum : `, ${minimum} to ${maximum}`
  if (maxLength !== undefined) return `, ${minLength ?? 0} to ${maxLength} characters`
  return maxItems === undefined ? '' : ', at most ' + maxItems
}

function valuesOf(schema: Schema): Html | null {
  const values = (schema.enum ?? schema.items?.enum ?? []).filter((value) => value !== null)
  if (values.length === 0) return null
  const shown = values.slice(0, VALUES_SHOWN_MAX)
  return html`<p class="values">${shown.map((value) => html`<code>${String(value)}</code> `)}${
    values.length > shown.length ? '… and ' + (values.length - shown.length) + ' more' : null
  }</p>`
}
