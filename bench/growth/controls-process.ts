// The process in which the number of a card's controls grows. It gets `{ quick }` from its parent
// and answers with a cost for each number of controls; their rounds run in turns.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, rounded } from '../figures.ts'
import { type HeldLine, openHeldLine } from '../steps/held-line.ts'
import { costOf } from '../steps/rounds.ts'

export interface ControlsCost {
  controls: number
  /** Microseconds of the processor for each authorization, the line alone. */
  cpuUs: number
}

export const CONTROLS = [1, 10, 100] as const
const CARDS = 1000
const PACE = {
  full: { rounds: 20, batch: 3000, warmRounds: 10 },
  quick: { rounds: 6, batch: 1000, warmRounds: 8 },
}

process.once('message', (asked) => {
  const pace = (asked as { quick: boolean }).quick ? PACE.quick : PACE.full
  void measure(pace).then((costs) => process.send?.(costs, () => process.disconnect()))
})

async function measure(pace: (typeof PACE)['full']): Promise<ControlsCost[]> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-controls-'))
  try {
    const lines: HeldLine[] = []
    for (const controls of CONTROLS) {
      const place = join(directory, String(controls))
      lines.push(await openHeldLine(place, { cards: CARDS, controlsEach: controls }))
    }
    for (const line of lines) round(line, pace.batch, pace.warmRounds)
    const rounds = Array.from({ length: pace.rounds }, () =>
      lines.map((line) => round(line, pace.batch, 0)),
    )
    for (const line of lines) await line.close()
    return CONTROLS.map((controls, at) => ({
      controls,
      cpuUs: rounded(median(rounds.map((costs) => costs[at] ?? 0))),
    }))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function round(line: HeldLine, batch: number, warmRounds: number): number {
  const { cpuUs } = costOf({
    rounds: 1,
    warmRounds,
    prepare: () => line.messages(batch, 'token'),
    work(messages) {
      line.decide(messages)
      return messages.length
    },
  })
  return cpuUs
}
