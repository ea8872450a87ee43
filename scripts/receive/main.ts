// `npm run receive`: a webhook receiver to try deliveries with.
import { systemClock } from '../../shared/clock.ts'
import { refuse } from '../../shared/command-line.ts'
import { parseReceiveOptions } from './options.ts'
import { openReceiver } from './receiver.ts'

const EXIT_USAGE = 2

/** The exit code; it runs until it is interrupted. */
export async function main(): Promise<number> {
  const options = parseReceiveOptions(process.argv.slice(2))
  if (!options.ok) {
    refuse(options.error)
    return EXIT_USAGE
  }
  const say = (line: string): void => void process.stdout.write(line + '\n')
  const receiver = await openReceiver(options.value, systemClock, say)
  say('Listening on ' + receiver.url + ' for webhooks. Ctrl-C ends it.')
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  await receiver.close()
  const { arrived, verified } = receiver.counts
  say(arrived + ' arrived, ' + verified + ' of them verified.')
  return 0
}
