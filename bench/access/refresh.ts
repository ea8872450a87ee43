// Refreshing tokens: chains of refreshes beside chains of keyed writes of the same process, and a
// thousand refreshes of one token at once.
import { randomUUID } from 'node:crypto'
import { column, rounded } from '../figures.ts'
import { curveOf, openLatency, percentilesOf } from '../latency.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, pairsOf, ratioOf } from '../pairs.ts'
import type { AccessTestbed, Tokens } from './testbed.ts'

const CHAINS = 4
const LENGTH = { full: 100, quick: 40 }
/** Calls to the token endpoint that one address may make in a minute, with some to spare. */
const ADDRESS_CALLS = 40
const WRITES_RATIO_MAX = 3
const AT_ONCE = 1000
const AT_ONCE_ADDRESSES = 20
const AT_ONCE_MS_MAX = 2000

interface Sample {
  latency: string
  flaws: readonly string[]
}

export async function measureRefresh(at: AccessTestbed, options: BenchOptions): Promise<Findings> {
  const length = options.quick ? LENGTH.quick : LENGTH.full
  const tokens: Tokens[] = []
  for (let chain = 0; chain < CHAINS; chain++) tokens.push(await at.connect())
  const sides = {
    refresh: () => sample(tokens.map((_, chain) => () => refreshes(at, { tokens, chain, length }))),
    write: () => sample(tokens.map(() => () => writes(at, length))),
  }
  // The first round compiles the code of both.
  await inTurns(sides, 1)
  options.log('Refreshing beside keyed writes.')
  const rounds = await inTurns(sides, pairsOf(options))
  const p99 = compare(rounds, ['refresh', 'write'], ({ latency }) => percentilesOf([latency]).p99)
  const p50 = compare(rounds, ['refresh', 'write'], ({ latency }) => percentilesOf([latency]).p50)
  const chart = 'Latency of a refresh and of a keyed write'
  const curves = (['refresh', 'write'] as const).map((name) =>
    curveOf(
      rounds.map((round) => round[name].latency),
      { chart, name },
    ),
  )
  return {
    lines: [
      ['ms', 'p50', 'p99'].map(column).join(''),
      ['refresh', p50.ours, p99.ours].map(column).join(''),
      ['keyed write', p50.theirs, p99.theirs].map(column).join(''),
    ],
    figures: { refresh_ms: { p50: p50.ours, p99: p99.ours }, write_p99_ms: p99.theirs },
    targets: [],
    ratios: [
      ratioOf(p99, {
        sentence: 'p99 of a refresh : that of a keyed write',
        unit: 'ms',
        bound: { atMost: WRITES_RATIO_MAX },
      }),
    ],
    curves,
    flaws: [...new Set(rounds.flatMap(({ refresh, write }) => [...refresh.flaws, ...write.flaws]))],
  }
}

type Chain = () => Promise<{ ms: number[]; flaws: string[] }>

async function sample(chains: readonly Chain[]): Promise<Sample> {
  const latency = openLatency()
  const done = await Promise.all(chains.map((chain) => chain()))
  for (const { ms } of done) for (const each of ms) latency.record(each * 1000)
  return { latency: latency.encoded(), flaws: done.flatMap(({ flaws }) => flaws) }
}

/** Each refresh uses the token of the one before it. */
async function refreshes(
  { apis: [{ port }], caller, newAddress }: AccessTestbed,
  { tokens, chain, length }: { tokens: Tokens[]; chain: number; length: number },
) {
  const ms: number[] = []
  const flaws: string[] = []
  let from = newAddress()
  for (let count = 1; count <= length; count++) {
    if (count % ADDRESS_CALLS === 0) from = newAddress()
    const form = { refresh_token: tokens[chain]?.refresh_token ?? '' }
    const asked = { port, from, method: 'POST', path: '/oauth/token', form } as const
    const answer = await caller.call(asked)
    if (answer.status === 200) tokens[chain] = JSON.parse(answer.text) as Tokens
    else flaws.push('a refresh answered ' + answer.status)
    ms.push(answer.ms)
  }
  return { ms, flaws }
}

async function writes({ apis: [{ port }], caller, tenant }: AccessTestbed, length: number) {
  const ms: number[] = []
  const flaws: string[] = []
  for (let count = 0; count < length; count++) {
    const order = randomUUID()
    const answer = await caller.call({
      ...{ port, method: 'PATCH', path: '/v1/cards/' + tenant.cardId },
      headers: { authorization: 'Bearer ' + tenant.keys.write, 'idempotency-key': order },
      json: { metadata: { order } },
    })
    if (answer.status !== 200) flaws.push('a write answered ' + answer.status)
    ms.push(answer.ms)
  }
  return { ms, flaws }
}

/** A thousand refreshes of one token: one pair, and the connection lives. */
export async function measureAtOnce(at: AccessTestbed, options: BenchOptions): Promise<Findings> {
  const { caller, apis, newAddress } = at
  const [{ port }] = apis
  options.log('Refreshing one token ' + AT_ONCE + ' times at once.')
  const addresses = Array.from({ length: AT_ONCE_ADDRESSES }, newAddress)
  const { refresh_token } = await at.connect()
  const form = { refresh_token }
  const beganAt = performance.now()
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, index) => {
      const from = addresses[index % AT_ONCE_ADDRESSES] ?? 0
      return caller.call({ port, from, method: 'POST', path: '/oauth/token', form })
    }),
  )
  const ms = performance.now() - beganAt
  const [winner, ...more] = answers.filter(({ status }) => status === 200)
  const { access_token = '' } = winner === undefined ? {} : (JSON.parse(winner.text) as Tokens)
  const alive = await caller.call({
    ...{ port, method: 'GET', path: '/v1/cards?limit=1' },
    headers: { authorization: 'Bearer ' + access_token },
  })
  const flaws = [
    ...(winner === undefined || more.length > 0 ? ['not exactly one refresh succeeded'] : []),
    ...(alive.status === 200 ? [] : ['the connection did not live on']),
  ]
  return {
    lines: [AT_ONCE + ' refreshes of one token: ' + Math.round(ms) + ' ms, one pair'],
    figures: { at_once_ms: Math.round(ms) },
    targets: [
      {
        sentence: AT_ONCE + ' refreshes of one token at once : ' + AT_ONCE_MS_MAX + ' ms',
        ratio: rounded(ms / AT_ONCE_MS_MAX),
        atMost: 1,
      },
    ],
    flaws,
  }
}
