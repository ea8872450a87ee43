// The fields of a pass in Google's form: texts with an id each, some of them in rows on the front.
import {
  FIELD_GROUPS,
  type FieldGroup,
  type PassField,
} from '../../../../shared/schemas/pass-content.ts'
import type { PassContent } from '../../../../shared/schemas/pass-template.ts'
import { fieldText } from '../model/field-text.ts'
import type { Localize, LocalizedString } from './localized.ts'

/** Google's limit of texts per object, and per class. */
const MODULES_MAX = 10
/** Google's limit: items per row of the front, which has three rows. */
const ITEMS_MAX = 3
const ROW_GROUPS = ['header', 'secondary', 'auxiliary'] as const satisfies readonly FieldGroup[]
const ITEM_NAMES = [['item'], ['startItem', 'endItem'], ['startItem', 'middleItem', 'endItem']]
const ROW_NAMES = ['oneItem', 'twoItems', 'threeItems']
const PLACEHOLDER = '{{'

interface TextModule {
  id: string
  header?: string
  localizedHeader?: LocalizedString
  body: string
  localizedBody?: LocalizedString
}

/**
 * The texts of a single pass: all non-empty fields except the large one and those that are the same
 * on every pass. Fields of the front come first, because texts beyond the limit are not shown.
 */
export function objectModules(
  content: PassContent,
  fields: { readonly [Group in FieldGroup]: readonly PassField[] },
  localize: Localize,
): TextModule[] {
  const fixed = new Set(fixedFields(content).map(({ key }) => key))
  const said = FIELD_GROUPS.flatMap((group) =>
    group === 'primary' ? fields.primary.slice(1) : fields[group],
  )
  return modulesOf(
    said.filter(({ key }) => !fixed.has(key)),
    localize,
  )
}

/** Texts on the back of every pass. */
export function classModules(content: PassContent, localize: Localize): TextModule[] {
  return modulesOf(fixedFields(content), localize)
}

function fixedFields({ fields }: PassContent): PassField[] {
  return fields.back.filter(({ value }) => !value.includes(PLACEHOLDER))
}

function modulesOf(fields: readonly PassField[], localize: Localize): TextModule[] {
  const filled = fields.filter(({ value }) => value !== '').slice(0, MODULES_MAX)
  return filled.map((field) => {
    const { key: id, label, value } = field
    const body = fieldText(field)
    return {
      id,
      ...(label !== '' && { header: label, ...translated('localizedHeader', localize(label)) }),
      body,
      // A reformatted text has no translation.
      ...(body === value && translated('localizedBody', localize(value))),
    }
  })
}

function translated(name: 'localizedHeader' | 'localizedBody', text: LocalizedString): object {
  return text.translatedValues === undefined ? {} : { [name]: text }
}

/** Returns the rows of the front in Google's form. */
export function frontRows({ fields }: PassContent): object[] {
  return ROW_GROUPS.flatMap((group) => {
    const items = fields[group].slice(0, ITEMS_MAX)
    const [row, names] = [ROW_NAMES[items.length - 1], ITEM_NAMES[items.length - 1]]
    if (row === undefined || names === undefined) return []
    const cells = items.map(({ key }, index) => [names[index], itemOf(key)])
    return [{ [row]: Object.fromEntries(cells) }]
  })
}

function itemOf(key: string): object {
  const fieldPath = "object.textModulesData['" + key + "']"
  return { firstValue: { fields: [{ fieldPath }] } }
}
