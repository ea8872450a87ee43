// The fields of a body as a person reads them before they approve it. What looks like a secret is not shown.
import { withoutPans } from '../../../shared/log.ts'

export interface BodyField {
  /** `scope`, or `limits.0.amount_cents` for a deeper one. */
  name: string
  value: string
}

const FIELDS_MAX = 40
const VALUE_CHARACTERS_MAX = 300
const SECRET_NAME = /secret|password|token|^pin$|^pan$|^cvc$/i

/** In the body's order. Says so where it leaves something out. */
export function bodyFields(body: unknown): readonly BodyField[] {
  const fields: BodyField[] = []
  // Depth first, without recursion: a body may be as deep as it is long.
  const open: { path: string; value: unknown }[] = [{ path: '', value: body ?? {} }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, value } = next
    const inner = typeof value === 'object' && value !== null ? Object.entries(value).reverse() : []
    for (const [name, below] of inner)
      open.push({ path: path === '' ? name : path + '.' + name, value: below })
    if (inner.length > 0 || path === '') continue
    if (fields.length === FIELDS_MAX)
      return [...fields, { name: '…', value: 'and more than is shown here' }]
    fields.push({ name: path, value: shownValue(path, value) })
  }
  return fields
}

function shownValue(path: string, value: unknown): string {
  if (SECRET_NAME.test(path.split('.').at(-1) ?? '')) return 'not shown'
  const text = withoutPans(typeof value === 'string' ? value : JSON.stringify(value))
  if (text === '') return '(empty)'
  return text.length > VALUE_CHARACTERS_MAX ? text.slice(0, VALUE_CHARACTERS_MAX) + '…' : text
}
