// The form in which the reference explains one value of an enumeration.

export interface ValueExplanation {
  /** The meaning of the value, in one or two sentences. */
  meaning: string
  /** The step that the reader can take, or why none is needed. */
  remedy: string
}

/** One explanation for every value: a value without one does not compile. */
export type Explained<Value extends string> = { readonly [Name in Value]: ValueExplanation }
