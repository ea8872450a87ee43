// Fields of pass templates for the tests of drawings.
import type { PassField } from '../../shared/schemas/pass-content.ts'

/** A field of a template as it is kept: plain text unless said, and its label is its key. */
export function passField(key: string, value: string, more: Partial<PassField> = {}): PassField {
  const label = key.toUpperCase()
  const plain = {
    change_message: null,
    format: 'text',
    currency: null,
    alignment: 'natural',
  } as const
  return { key, label, value, ...plain, ...more }
}
