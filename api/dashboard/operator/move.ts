// The contract of a move: an effect that operators have on pages, one call of the operators' API.

/** The id of a move that is about no resource. */
export const NONE = '-'

/**
 * A field of a move's form. A `number` counts, a `change` may take away too, `money` is typed with
 * decimals and sent in cents, a `date` is sent as the end of its day (UTC), `rows` are lines of one
 * word for each of `columns`, and `given` is known to the page and not shown.
 */
export interface DeskField {
  /** Name in the body; a dot leads into an object. */
  name: string
  label: string
  kind:
    | 'text'
    | 'number'
    | 'change'
    | 'money'
    | 'choice'
    | 'yes_no'
    | 'lines'
    | 'rows'
    | 'days'
    | 'date'
    | 'given'
  options?: readonly string[]
  /** The names of the words of a row. */
  columns?: readonly string[]
  /** The first value of the form. */
  value?: string
  /** Name of the frame around neighbours. */
  group?: string
  hint?: string
  isOptional?: true
  /** An empty text is sent as null. */
  isNullable?: true
  /** For days, the read whose answer has the tenant's clock, below `/operator/v1`. */
  clock?: string
  /** The field stands in the path, not in the body. */
  inPath?: true
}

export interface DeskMove {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/operator/v1`; `{id}` is the resource unless a field has it, other names are fields. */
  path: string
  /** The button. */
  label: string
  /** The effect in a sentence, for the page that asks for the passkey. */
  text: string
  isGrave?: true
  fields?: readonly DeskField[]
  /** The sentence after it worked. */
  done: string
  /** The page afterwards, with `{id}`. */
  back: string
  /** The answer has a secret, which is shown once. */
  showsSecret?: true
}

/** The reason of the operator, which the log keeps. */
export const REASON: DeskField = { name: 'reason', label: 'Reason', kind: 'text' }
export const ENVIRONMENT: DeskField = {
  ...{ name: 'environment', label: 'Environment', kind: 'choice', options: ['sandbox', 'live'] },
}
