// Assertions stay on in production: a broken invariant stops the request (api) or the process
// (engine).

export class AssertionFailure extends Error {
  override readonly name = 'AssertionFailure'
}

/** Throws when our own code is wrong. Never validates input from outside. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionFailure(message)
}
