// What a version changed, as the way back to the version before it.

/** A resource as a version shows it: `object` says what it is. */
export interface Shown {
  readonly [name: string]: unknown
}

/**
 * By the `object` of a resource: its shape in this version made into that of the one before. Pure, and in the order of the
 * fields it was given: the older version keeps its bytes.
 */
export interface Change {
  readonly [object: string]: (shown: Shown) => Shown
}
