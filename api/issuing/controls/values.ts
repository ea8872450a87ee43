// Values of lists that no schema can check: ordered codes, and existing names of categories,
// countries and currencies.
import { isCountry } from '../../../shared/countries.ts'
import { categoryMccs } from '../../../shared/mcc-categories.ts'
import { isCurrency } from '../../../shared/money.ts'
import { Refusal } from '../../http/refusal.ts'

interface Dictionary {
  knows(value: string): boolean
  /** Noun for the valid kind of value. */
  word: string
}

const DICTIONARIES: { readonly [dimension: string]: Dictionary } = {
  mccs: { knows: inOrder, word: 'range of codes' },
  categories: { knows: (value) => categoryMccs(value) !== null, word: 'category' },
  countries: { knows: isCountry, word: 'country' },
  currencies: { knows: isCurrency, word: 'currency' },
}

/** Refuses the first unknown value, and names it. `at` is the pointer to the fields. */
export function refuseUnknownValues(fields: object, at: string): void {
  for (const [field, values] of Object.entries(fields)) {
    const dictionary = DICTIONARIES[field.replace(/^(allowed|blocked)_/, '')]
    if (dictionary === undefined || !Array.isArray(values)) continue
    const index = values.findIndex((value: string) => !dictionary.knows(value))
    if (index === -1) continue
    throw new Refusal('parameter_invalid', {
      param: at + '/' + field + '/' + index,
      message: values[index] + ' is no ' + dictionary.word + ' that is known here.',
    })
  }
}

/** Returns true for a code, or a range whose end is not before its start. */
function inOrder(value: string): boolean {
  const [from, to] = value.split('-')
  return to === undefined || (from as string) <= to
}
