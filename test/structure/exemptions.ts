// Every exemption from a structure rule, with its reason. Short on purpose, read in review.

const EXEMPTIONS: readonly { path: string; rule: string; reason: string }[] = [
  {
    path: 'shared/clock.ts',
    rule: 'clock',
    reason: 'the only caller of the system clock and of timers',
  },
  { path: 'shared/id.ts', rule: 'clock', reason: 'the only source of randomness' },
]

export function exempt(path: string, rule: string): boolean {
  return EXEMPTIONS.some((row) => row.path === path && row.rule === rule)
}
