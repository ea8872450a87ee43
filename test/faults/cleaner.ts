// A replacement of tap's teardown for a run without tap: the last task runs first.
export class Cleaner {
  readonly #tasks: (() => unknown)[] = []

  teardown(task: () => unknown): void {
    this.#tasks.push(task)
  }

  async clean(): Promise<void> {
    for (const task of this.#tasks.splice(0).reverse()) await task()
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const INTERRUPTED = 130

/** Runs `play` with a cleaner that cleans up after it, and also where a signal ends the process. */
export async function cleaned<Value>(play: (cleaner: Cleaner) => Promise<Value>): Promise<Value> {
  const cleaner = new Cleaner()
  let leaving: Promise<void> | null = null
  const leave = (): void => {
    leaving ??= cleaner.clean().finally(() => process.exit(INTERRUPTED))
  }
  for (const signal of SIGNALS) process.once(signal, leave)
  try {
    return await play(cleaner)
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave)
    await (leaving ?? cleaner.clean())
  }
}
