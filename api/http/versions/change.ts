// One change of a version, as the way back to the version before it: of a value, and of the schema
// that describes the value.

/** A resource as a version shows it: `object` names its kind. */
export interface Shown {
  readonly [name: string]: unknown
}

/** The part of a JSON Schema that a change touches. */
export interface ShownSchema {
  properties?: { [name: string]: ShownSchema }
  required?: string[]
  anyOf?: ShownSchema[]
  type?: string | string[]
  readonly enum?: unknown[]
  [keyword: string]: unknown
}

export interface KindChange {
  /**
   * The shape in this version made into that of the one before. Pure; keeps the order of the
   * fields.
   */
  value(shown: Shown): Shown
  /** The same for the schema of the kind. Pure. */
  schema(schema: ShownSchema): ShownSchema
  /** The change in one sentence, for integrators. */
  about: string
}

/** By the `object` of a resource. */
export interface Change {
  readonly [object: string]: KindChange
}
