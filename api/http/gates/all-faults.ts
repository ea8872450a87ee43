// Reports every fault of a refused body, not only the first. A hostile body would profit from a
// long second check: therefore it covers small values only, runs once per refused call, and its
// report is short.
import type { ErrorObject } from 'ajv'

/** Faults that one refusal names. */
export const FAULTS_MAX = 10
/**
 * A larger body is refused with its first fault only: comparing its items or matching its text
 * would take long.
 */
const VALUES_MAX = 1000
const CHARACTERS_MAX = 16 * 1024

export type Fault = Pick<
  ErrorObject,
  'instancePath' | 'schemaPath' | 'keyword' | 'params' | 'message'
>

/**
 * Whether all faults of a value may be looked for: it has at most 1,000 names and values, and
 * 16,384 characters.
 */
export function smallEnough(value: unknown): boolean {
  const pending: unknown[] = [value]
  let characters = 0
  for (let next = 0; next < pending.length; next++) {
    const item = pending[next]
    characters += typeof item === 'string' ? item.length : 0
    if (pending.length > VALUES_MAX || characters > CHARACTERS_MAX) return false
    if (typeof item !== 'object' || item === null) continue
    const names = Object.keys(item)
    if (names.length > VALUES_MAX) return false
    pending.push(...names, ...Object.values(item))
  }
  return true
}

/**
 * At most ten faults, one for each field, in the order in which they were found. A value that may
 * have one of several forms is judged by the form whose type it has.
 */
export function distinctFaults(found: readonly Fault[]): Fault[] {
  const faults = new Map<string, Fault>()
  for (const fault of found.filter(inMeantForm(found))) {
    const field = fieldOf(fault)
    if (!faults.has(field)) faults.set(field, fault)
    if (faults.size === FAULTS_MAX) break
  }
  return [...faults.values()]
}

/**
 * An unknown field and a missing one are faults of their own, beside those of the object that they
 * are about.
 */
function fieldOf({ instancePath, params }: Fault): string {
  const property = params['missingProperty'] ?? params['additionalProperty']
  return property === undefined ? instancePath : instancePath + '/' + String(property)
}

const FORM = /^(.*?\/(?:anyOf|oneOf))\/(\d+)(?:\/|$)/

/** Reports only one of the forms of a value: the first whose type matches, else the first. */
function inMeantForm(found: readonly Fault[]): (fault: Fault) => boolean {
  const forms = new Map<string, { form: string; otherType: boolean }>()
  for (const { schemaPath } of found) {
    const [, choice, form] = FORM.exec(schemaPath) ?? []
    if (choice === undefined || form === undefined) continue
    const known = forms.get(choice)
    if (known !== undefined && !known.otherType) continue
    const typePath = choice + '/' + form + '/type'
    const otherType = found.some((fault) => fault.schemaPath === typePath)
    if (known === undefined || !otherType) forms.set(choice, { form, otherType })
  }
  return ({ schemaPath }) => {
    const [, choice, form] = FORM.exec(schemaPath) ?? []
    // The choice itself fails too; the form that is meant says more.
    if (choice === undefined) return !forms.has(schemaPath)
    return forms.get(choice)?.form === form
  }
}
