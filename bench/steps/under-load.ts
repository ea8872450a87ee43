// The engine's own figures of its steps under load: wall time, with everything that other messages
// and the device do meanwhile.
import { flawsOf, startGenerator } from '../generator.ts'
import { openEngineAlone } from '../line/engine-alone.ts'
import type { BenchOptions } from '../measured.ts'
import type { Sent } from '../sender.ts'
import { type Parts, stagesOf } from './timings.ts'

const CARDS = 10_000
const RATE_PER_S = 5000
const CONNECTIONS = 64
const PACE = { full: { seconds: 5, warmSeconds: 5 }, quick: { seconds: 2, warmSeconds: 2 } }

export interface UnderLoad {
  parts: Parts
  flaws: string[]
}

/** Microseconds of each step, the mean of all messages. */
export async function stagesUnderLoad(options: BenchOptions): Promise<UnderLoad> {
  options.log('Asking an engine under load for its own timings.')
  const pace = options.quick ? PACE.quick : PACE.full
  const stand = await openEngineAlone({ cards: CARDS })
  const generator = startGenerator()
  try {
    const load = { port: stand.port, connections: CONNECTIONS, rate: RATE_PER_S }
    const send = async (seconds: number): Promise<Sent> => {
      // Each round sends new messages: a repeated message is only recalled, and recall is not
      // timed.
      await generator.make(stand.messages(seconds * RATE_PER_S + CONNECTIONS))
      return generator.send({ ...load, seconds })
    }
    await send(pace.warmSeconds)
    let flaws: string[] = []
    const parts = await stagesOf(stand, async () => {
      flaws = flawsOf('the engine', await send(pace.seconds))
    })
    if (parts.length === 0) flaws.push('nothing was decided under load')
    return { parts, flaws }
  } finally {
    await generator.stop()
    await stand.close()
  }
}
