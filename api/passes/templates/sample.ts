// A sample pass to preview a template: the caller's values, and invented values for all other
// placeholders.

import { type EpochMs, isoInstant } from '../../../shared/clock.ts'
import { Type } from '../../../shared/schema-builders.ts'
import { PassInput } from '../../../shared/schemas/pass.ts'
import { FIELD_GROUPS, type PassField } from '../../../shared/schemas/pass-content.ts'
import type { PassContent } from '../../../shared/schemas/pass-template.ts'
import { LANGUAGE } from '../../../shared/schemas/pass-template-input.ts'
import { type PassValues, placeholdersIn } from '../wallets/model/render.ts'
import { ANY_PAYLOAD } from './content.ts'

/** Input for a sample pass: like a pass, with all fields optional. */
export const SAMPLE_INPUT = {
  holder_name: PassInput.properties.holder_name,
  values: PassInput.properties.values,
  language: Type.Optional(Type.String({ pattern: LANGUAGE })),
}

const HOLDER = 'Ada Lovelace'

export interface SampleInput {
  holder_name?: string | undefined
  values?: { readonly [name: string]: string } | undefined
  /** Language of the sample; the template's own words if no such translation exists. */
  language?: string | undefined
}

/**
 * Chosen: a text placeholder shows its own name; a number, an amount and a moment show a sample
 * value. No scan accepts its payload.
 */
export function samplePass(content: PassContent, input: SampleInput, now: EpochMs): PassValues {
  const fields = FIELD_GROUPS.flatMap((group) => content.fields[group])
  const invented = fields.flatMap((field) =>
    placeholdersIn(field.value).map((name) => [name, sampleValue(field, name, now)] as const),
  )
  return {
    holderName: input.holder_name ?? HOLDER,
    values: { ...Object.fromEntries(invented), ...input.values },
    payload: ANY_PAYLOAD,
    expiresAt: null,
  }
}

function sampleValue({ format }: PassField, name: string, now: EpochMs): string {
  if (format === 'number') return '42'
  if (format === 'currency') return '12.50'
  const moment = isoInstant(now)
  if (format === 'date') return moment.slice(0, 10)
  return format === 'date_time' ? moment : name.replaceAll('_', ' ')
}
