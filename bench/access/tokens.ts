// A call with an access token beside the same call with an API key: processor time of the api.
import { column } from '../figures.ts'
import { flawsOf, type Generator, startGenerator } from '../generator.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, pairsOf, ratioOf } from '../pairs.ts'
import type { AccessTestbed } from './testbed.ts'

const CONNECTIONS = 16
const REQUESTS = 200
const PACE = {
  full: { seconds: 1.5, warmSeconds: 6 },
  quick: { seconds: 1, warmSeconds: 3 },
}
const KEY_RATIO_MAX = 1.1

export async function measureTokens(at: AccessTestbed, options: BenchOptions): Promise<Findings> {
  const generator = startGenerator()
  at.ends(() => generator.stop())
  const { access_token: token } = await at.connect()
  const { cardId, keys } = at.tenant
  const { seconds, warmSeconds } = options.quick ? PACE.quick : PACE.full
  const side = (credential: string, of: number) => () =>
    sample(at, generator, { path: '/v1/cards/' + cardId, credential, seconds: of })
  await inTurns({ token: side(token, warmSeconds), key: side(keys.read, warmSeconds) }, 1)
  options.log('Reading a card with a token and with a key.')
  const sides = { token: side(token, seconds), key: side(keys.read, seconds) }
  const rounds = await inTurns(sides, pairsOf(options))
  const cpu = compare(rounds, ['token', 'key'], ({ cpuUs }) => cpuUs)
  return {
    lines: [
      ['', 'CPU µs each'].map(column).join(''),
      ['with a token', cpu.ours].map(column).join(''),
      ['with a key', cpu.theirs].map(column).join(''),
    ],
    figures: { token_cpu_us: cpu.ours, key_cpu_us: cpu.theirs },
    targets: [],
    ratios: [
      ratioOf(cpu, {
        sentence: 'processor time of a call with an access token : with an API key',
        unit: 'µs',
        bound: { atMost: KEY_RATIO_MAX },
      }),
    ],
    flaws: [...new Set(rounds.flatMap(({ token: ours, key }) => [...ours.flaws, ...key.flaws]))],
  }
}

async function sample(
  { apis: [api] }: AccessTestbed,
  generator: Generator,
  { path, credential, seconds }: { path: string; credential: string; seconds: number },
) {
  const head = 'GET ' + path + ' HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer '
  const text = head + credential + '\r\n\r\n'
  const requests = Array.from({ length: REQUESTS }, () => text)
  await generator.make({ kind: 'whole', requests })
  const before = api.cpuUs()
  const load = { port: api.port, connections: CONNECTIONS, repeats: true, rate: null, seconds }
  const sent = await generator.send(load)
  return { cpuUs: (api.cpuUs() - before) / Math.max(1, sent.all), flaws: flawsOf('api', sent) }
}
