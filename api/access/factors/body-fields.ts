// The fields of a body as a person reads them before approval. The page does not show values that
// look like secrets.
import { withoutPans } from '../../../shared/log.ts'

export interface BodyField {
  /** `scope`, or `limits.0.amount_cents` for a nested field. */
  name: string
  value: string
}

/** More fields than any body of these calls has, including lists and metadata. */
const FIELDS_MAX = 200
const VALUE_CHARACTERS_MAX = 300
/**
 * Invisible characters, and characters that turn the direction of text: they would make the text
 * around them read as something else.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const SECRET_NAME = /secret|password|token|^pin$|^pan$|^cvc$/i

/**
 * Lists top-level fields first, so a caller cannot hide a field behind others. The list says where
 * it leaves fields out.
 */
export function bodyFields(body: unknown): readonly BodyField[] {
  const fields: BodyField[] = []
  // Breadth first; the list grows during the walk.
  const open: { path: string; value: unknown }[] = [{ path: '', value: body ?? {} }]
  for (const { path, value } of open) {
    const inner = typeof value === 'object' && value !== null ? Object.entries(value) : []
    for (const [name, below] of inner)
      open.push({ path: path === '' ? name : path + '.' + name, value: below })
    if (inner.length > 0 || path === '') continue
    if (fields.length === FIELDS_MAX)
      return [...fields, { name: '…', value: 'and more than is shown here' }]
    fields.push({ name: readable(path), value: readable(shownValue(path, value)) })
  }
  return fields
}

/** Shows invisible characters by their number. */
function readable(text: string): string {
  return text.replaceAll(
    UNSEEN,
    (character) => '\\u{' + character.codePointAt(0)?.toString(16) + '}',
  )
}

function shownValue(path: string, value: unknown): string {
  if (SECRET_NAME.test(path.split('.').at(-1) ?? '')) return 'not shown'
  const text = withoutPans(typeof value === 'string' ? value : JSON.stringify(value))
  if (text === '') return '(empty)'
  return text.length > VALUE_CHARACTERS_MAX ? text.slice(0, VALUE_CHARACTERS_MAX) + '…' : text
}
