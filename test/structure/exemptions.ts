// Every exemption from a structure rule, with its reason. Short on purpose, read in review.

const EXEMPTIONS: readonly { path: string; rule: string; name?: string; reason: string }[] = [
  {
    path: 'shared/clock.ts',
    rule: 'clock',
    reason: 'the only caller of the system clock and of timers',
  },
  {
    path: 'client/verify-webhook.ts',
    rule: 'clock',
    reason: 'a package of its own, which runs where there is no shared clock',
  },
  { path: 'shared/id.ts', rule: 'clock', reason: 'the only source of randomness' },
  {
    path: 'engine/engine.ts',
    rule: 'lines',
    name: 'assemble',
    reason: 'the plan of the process: what is built of what, in one reading',
  },
  {
    path: 'shared/schemas/card-transaction.ts',
    rule: 'lines',
    name: 'cardTransaction',
    reason: 'one line per field of the public shape, nested as it is shown',
  },
  {
    path: 'engine/line/ask.ts',
    rule: 'spread',
    reason: 'once a question, which waits for a tenant anyway',
  },
  {
    path: 'engine/line/conclude.ts',
    rule: 'spread',
    reason: 'once a message: the entry is its record and the decision, always in the same order',
  },
  {
    path: 'engine/line/ask.ts',
    rule: 'parameters',
    name: 'ask',
    reason: 'a step takes the line and the message; what it asks and who hears of it are two more',
  },
]

/** True where a file, or the named part of it, may break a rule. */
export function exempt(path: string, rule: string, name?: string): boolean {
  return EXEMPTIONS.some(
    (row) =>
      row.path === path && row.rule === rule && (row.name === undefined || row.name === name),
  )
}
