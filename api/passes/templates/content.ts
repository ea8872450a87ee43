// Turns the template content of a call into the stored content of a version: all fields set,
// moments as numbers, colours in one spelling. Refuses content that no wallet could show.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import {
  FIELD_GROUPS,
  type FieldGroup,
  type PassFields,
  type PassNfc,
  type PassStyle,
} from '../../../shared/schemas/pass-content.ts'
import type { PassContent } from '../../../shared/schemas/pass-template.ts'
import type {
  PassContentInput,
  PassFieldInput,
} from '../../../shared/schemas/pass-template-input.ts'
import { parseFilterInstant } from '../../database/created-filter.ts'
import { Refusal } from '../../http/refusal.ts'
import { fillTemplate } from '../wallets/model/render.ts'
import { p256KeyIn } from '../wallets/p256-key.ts'
import { colorsOn } from './colors.ts'
import { misfitOf } from './fits.ts'

const BACKGROUND = '#ffffff'

const DEFAULTS = {
  logo_text: null,
  images: {
    icon: null,
    logo: null,
    strip: null,
    thumbnail: null,
    background: null,
    footer: null,
  },
  fields: { header: [], primary: [], secondary: [], auxiliary: [], back: [] },
  barcode: null,
  nfc: null,
  one_time: false,
  relevant_at: null,
  expires_at: null,
  locations: [],
  localizations: {},
} as const satisfies Partial<PassContent>

/** The content of a version before any input. */
export type ContentBase = Pick<
  PassContent,
  'style' | 'transit_type' | 'organization_name' | 'description'
>

export function firstContent(base: ContentBase, input: PassContentInput): PassContent {
  const colors = colorsOn(input.colors?.background ?? BACKGROUND)
  return changedContent({ ...DEFAULTS, ...base, colors }, input)
}

/** Placeholder for the payload of any pass: all payloads have this length. No pass has this one. */
export const ANY_PAYLOAD = 'P1' + 'Z'.repeat(42)
/** Chosen: larger content could no longer be read at once. */
const CONTENT_BYTES_MAX = 65_536

/**
 * Fields left out stay as they are; given fields are replaced whole, except that colours and images
 * are replaced one by one.
 */
export function changedContent(held: PassContent, input: PassContentInput): PassContent {
  const { barcode, nfc, fields, locations, colors, images, relevant_at, expires_at } = input
  const content = {
    ...held,
    ...input,
    colors: lowerCased({ ...held.colors, ...colors }),
    images: { ...held.images, ...images },
    fields: fields === undefined ? held.fields : fieldsOf(fields),
    barcode:
      barcode === undefined
        ? held.barcode
        : barcode && { message: '{{payload}}', alt_text: null, ...barcode },
    nfc: nfc === undefined ? held.nfc : nfc && nfcOf(nfc),
    locations:
      locations === undefined
        ? held.locations
        : locations.map((place) => ({ relevant_text: null, ...place })),
    relevant_at: momentOf(relevant_at, held.relevant_at),
    expires_at: momentOf(expires_at, held.expires_at),
  }
  requireShowable(content)
  return content
}

function lowerCased(colors: PassContent['colors']): PassContent['colors'] {
  const { background, foreground, label } = colors
  return {
    background: background.toLowerCase(),
    foreground: foreground.toLowerCase(),
    label: label.toLowerCase(),
  }
}

function momentOf(text: string | null | undefined, held: EpochMs | null): EpochMs | null {
  if (text === undefined) return held
  if (text === null) return null
  const moment = parseFilterInstant(text)
  assert(moment !== null, 'the validator lets only moments pass')
  return moment
}

function fieldsOf(input: NonNullable<PassContentInput['fields']>): PassFields {
  const group = (name: FieldGroup) => (input[name] ?? []).map(fieldOf)
  return {
    header: group('header'),
    primary: group('primary'),
    secondary: group('secondary'),
    auxiliary: group('auxiliary'),
    back: group('back'),
  }
}

function fieldOf(input: PassFieldInput): PassFields['header'][number] {
  const { key, label = '', value, change_message = null, format = 'text' } = input
  const { currency = null, alignment = 'natural' } = input
  return { key, label, value, change_message, format, currency, alignment }
}

function nfcOf(input: NonNullable<PassContentInput['nfc']>): PassNfc {
  const { message = '{{payload}}', encryption_public_key, requires_authentication = false } = input
  if (p256KeyIn(encryption_public_key) === null)
    throw invalid('/nfc/encryption_public_key', 'This is no P-256 public key in base64.')
  return { message, encryption_public_key, requires_authentication }
}

/** Returns how many fields a wallet shows, at least for that style. */
function fieldsMax(style: PassStyle): { readonly [Group in FieldGroup]: number } {
  const boarding = style === 'boarding_pass'
  return {
    header: 3,
    primary: boarding ? 2 : 1,
    secondary: 4,
    auxiliary: boarding ? 5 : 4,
    back: 20,
  }
}

function requireShowable(content: PassContent): void {
  const keys = new Set<string>()
  const most = fieldsMax(content.style)
  for (const group of FIELD_GROUPS) {
    const fields = content.fields[group]
    if (fields.length > most[group])
      throw invalid(
        '/fields/' + group,
        'A pass of this style has at most ' + most[group] + ' here.',
      )
    for (const [index, { key, format, currency }] of fields.entries()) {
      const at = '/fields/' + group + '/' + index
      if (keys.has(key)) throw invalid(at + '/key', 'Another field has the key ' + key + '.')
      keys.add(key)
      if ((format === 'currency') !== (currency !== null))
        throw invalid(at + '/currency', 'An amount has a currency, and nothing else has one.')
    }
  }
  const misfit = misfitOf(
    fillTemplate(content, { holderName: null, values: {}, payload: ANY_PAYLOAD, expiresAt: null }),
  )
  // A value that a pass must complete is checked with the pass.
  if (misfit !== null && !completedByPass(content, misfit.at))
    throw invalid(misfit.at, misfit.sentence)
  if (Buffer.byteLength(JSON.stringify(content)) > CONTENT_BYTES_MAX)
    throw new Refusal('parameter_invalid', {
      message: 'A template holds ' + CONTENT_BYTES_MAX + ' bytes at most.',
    })
}

function completedByPass(content: PassContent, at: string): boolean {
  const [, root, group, index] = at.split('/')
  if (root !== 'fields') return false
  const field = content.fields[group as FieldGroup][Number(index)]
  return field?.value.includes('{{') === true
}

function invalid(param: string, message: string): Refusal {
  return new Refusal('parameter_invalid', { param, message })
}
