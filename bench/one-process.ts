// The process of one bench: what it measures is not disturbed by what another left in memory, and
// when it ends before it is done the others are measured all the same. It gets one Order and
// answers with Words, the last of which are its findings.
import { BENCHES } from './benches.ts'
import { type BenchOptions, brokenBy, type Findings } from './measured.ts'

export interface Order {
  name: string
  quick: boolean
  long: boolean
}

export type Words = { log: string } | { findings: Findings }

process.once('message', (order) => {
  const { name } = order as Order
  void obey(order as Order)
    .catch((error: unknown) => brokenBy(name, error))
    .then((findings) => process.send?.({ findings } satisfies Words, () => process.exit(0)))
})

async function obey({ name, quick, long }: Order): Promise<Findings> {
  const measured = BENCHES.find((one) => one.name === name)
  if (measured === undefined) throw new Error('there is no bench called ' + name)
  const log: BenchOptions['log'] = (text) => void process.send?.({ log: text } satisfies Words)
  return measured.run({ quick, long, log })
}

// Processes that the bench started end with it, and its directories are removed.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
process.once('disconnect', () => process.exit(130))
