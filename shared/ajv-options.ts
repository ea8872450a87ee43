// Options of every validator of ours.

/**
 * Our schemas are parts of this code, and a test holds them against the schema of schemas: to
 * compile that one takes a tenth of the start of an engine.
 */
export const OWN_SCHEMAS = { meta: false, validateSchema: false } as const

/** A validator of messages names the first fault, or all of them. */
export const FIRST_FAULT = { ...OWN_SCHEMAS, allErrors: false, strict: false } as const
export const ALL_FAULTS = { ...OWN_SCHEMAS, allErrors: true, strict: false } as const
