// What the engine itself says of its steps while it is under load: the sums of its metrics page before and after.
import { rounded } from '../figures.ts'
import { flawsOf, startGenerator } from '../generator.ts'
import { type LineStand, openLineStand } from '../line/stand.ts'
import type { BenchOptions, Stages } from '../measured.ts'

const CARDS = 10_000
const RATE_PER_S = 5000
const CONNECTIONS = 64
const PACE = { full: { seconds: 5, warmSeconds: 5 }, quick: { seconds: 2, warmSeconds: 2 } }
/** Steps that are timed by themselves; `answer` is from the first byte until the answer leaves. */
const STEPS = ['stateRead', 'controls', 'reserve'] as const
const WHOLE = 'answer'
const REST = 'the rest, and the wait for the device'

export interface UnderLoad {
  row: Stages['rows'][number]
  flaws: string[]
}

/** Microseconds of each step, the mean of all messages. */
export async function stagesUnderLoad(options: BenchOptions): Promise<UnderLoad> {
  options.log('Asking an engine under load for its own timings.')
  const { seconds, warmSeconds } = options.quick ? PACE.quick : PACE.full
  const stand = await openLineStand({ cards: CARDS, drains: false })
  const generator = startGenerator()
  try {
    const load = { port: stand.port, connections: CONNECTIONS, rate: RATE_PER_S }
    await generator.make(stand.messages((seconds + warmSeconds) * RATE_PER_S + CONNECTIONS))
    await generator.send({ ...load, seconds: warmSeconds })
    const before = await timings(stand)
    const sent = await generator.send({ ...load, seconds })
    const after = await timings(stand)
    const meanUs = (step: string): number => {
      const [sums, counts] = [step + '.sum', step + '.count'].map(
        (name) => (after.get(name) ?? 0) - (before.get(name) ?? 0),
      )
      return counts === undefined || counts === 0 ? 0 : ((sums ?? 0) * 1e6) / counts
    }
    const parts = STEPS.map((name) => ({ name: name as string, value: rounded(meanUs(name)) }))
    const known = parts.reduce((sum, { value }) => sum + value, 0)
    parts.push({ name: REST, value: rounded(meanUs(WHOLE) - known) })
    return {
      row: { name: 'by the engine’s metrics', parts },
      flaws: flawsOf('the engine', sent),
    }
  } finally {
    await generator.stop()
    await stand.close()
  }
}

/** `step.sum` in seconds and `step.count`, of the whole life of the engine. */
async function timings(stand: LineStand): Promise<Map<string, number>> {
  const lines = (await stand.metrics()).matchAll(
    /^svc_step_seconds_(sum|count)\{step="(\w+)"\} (\S+)$/gm,
  )
  return new Map([...lines].map(([, what, step, value]) => [step + '.' + what, Number(value)]))
}
