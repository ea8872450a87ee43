// The failure of a call to the engine.

/** `status` is the engine's HTTP status, 0 without an answer. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly status: number

  constructor(status: number, message: string, options?: { cause: unknown }) {
    super(message, options)
    this.status = status
  }
}
