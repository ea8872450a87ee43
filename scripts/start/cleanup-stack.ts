// Stops everything that was started, in the opposite order: after a signal, and also when a start
// fails half-way.

export interface CleanupStack {
  /** Remembers how to stop something that was just started. */
  push(stop: () => Promise<void>): void
  /** Stops everything, last first; one that fails does not keep the others running. */
  unwind(): Promise<void>
}

export function cleanupStack(complain: (line: string) => void): CleanupStack {
  const stops: (() => Promise<void>)[] = []
  return {
    push: (stop) => {
      stops.push(stop)
    },
    async unwind() {
      for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) {
        try {
          await stop()
        } catch (error) {
          complain('while stopping: ' + (error instanceof Error ? error.message : String(error)))
        }
      }
    },
  }
}
