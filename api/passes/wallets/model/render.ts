// A version of a template with the values of a pass: the input of every wallet, the hosted page and
// the checks below.
import type { EpochMs } from '../../../../shared/clock.ts'
import {
  FIELD_GROUPS,
  type FieldGroup,
  type PassBarcode,
  type PassField,
  type PassNfc,
} from '../../../../shared/schemas/pass-content.ts'
import type { PassContent } from '../../../../shared/schemas/pass-template.ts'

/** The values of a pass for its template. */
export interface PassValues {
  holderName: string | null
  values: { readonly [name: string]: string }
  payload: string
  /** The pass's own end; null: the template's. */
  expiresAt: EpochMs | null
}

export interface RenderedPass {
  fields: { readonly [Group in FieldGroup]: readonly PassField[] }
  barcode: PassBarcode | null
  nfc: PassNfc | null
  expiresAt: EpochMs | null
}

const PLACEHOLDER = /\{\{([a-z][a-z0-9_]{0,39})\}\}/g

/**
 * Chosen: a placeholder without a value of the pass is empty. `holder_name` and `payload` are built
 * in.
 */
export function fillTemplate(content: PassContent, pass: PassValues): RenderedPass {
  const filled = (text: string): string =>
    text.replace(PLACEHOLDER, (_, name: string) => heldValue(pass, name))
  const fieldsOf = (group: FieldGroup): PassField[] =>
    content.fields[group].map((field) => ({ ...field, value: filled(field.value) }))
  const { barcode, nfc } = content
  const groups = FIELD_GROUPS.map((group) => [group, fieldsOf(group)])
  return {
    fields: Object.fromEntries(groups) as RenderedPass['fields'],
    barcode: barcode && {
      ...barcode,
      message: filled(barcode.message),
      alt_text: barcode.alt_text && filled(barcode.alt_text),
    },
    nfc: nfc && { ...nfc, message: filled(nfc.message) },
    expiresAt: pass.expiresAt ?? content.expires_at,
  }
}

/** Returns the names of values that a pass must give, without the built-in ones. */
export function placeholdersIn(text: string): string[] {
  const names = [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name)
  return names.filter((name) => name !== 'payload' && name !== 'holder_name')
}

function heldValue({ holderName, payload, values }: PassValues, name: string): string {
  if (name === 'payload') return payload
  if (name === 'holder_name') return holderName ?? ''
  return Object.hasOwn(values, name) ? (values[name] ?? '') : ''
}
