// The pinned packages against the registry, as lines: those with a published advisory, and those
// behind their latest release.

/** The fields of `npm audit --json` that the report reads. */
export interface Audit {
  vulnerabilities?: {
    readonly [name: string]: {
      severity: string
      range: string
      fixAvailable: boolean | { name: string; version: string }
    }
  }
}

/** `npm outdated --json`. */
export type Outdated = { readonly [name: string]: { current?: string; latest: string } }

export interface Report {
  lines: readonly string[]
  /** False where the registry did not tell its advisories. */
  isComplete: boolean
  /** Packages with an advisory, and a Node without its last security release. */
  unsafe: number
}

/** `audit` null: the registry did not answer. `node`: a sentence about a Node that is behind. */
export function packagesReport(found: {
  audit: Audit | null
  outdated: Outdated
  node: string | null
}): Report {
  const { audit, outdated, node } = found
  const advised = Object.entries(audit?.vulnerabilities ?? {})
  const unsafe = advised.map(
    ([name, { severity, range, fixAvailable }]) =>
      'UNSAFE  ' + name + ' ' + range + ': ' + severity + ', ' + fixOf(fixAvailable),
  )
  const behind = Object.entries(outdated)
    .filter(([, { current, latest }]) => current !== undefined && isLater(latest, current))
    .map(([name, { current, latest }]) => 'behind  ' + name + ' ' + current + ', latest ' + latest)
  const silent =
    audit === null
      ? ['The registry does not tell its advisories: nothing is known about them.']
      : []
  return {
    lines: [...(node === null ? [] : ['UNSAFE  ' + node]), ...unsafe, ...behind, ...silent],
    isComplete: audit !== null,
    unsafe: unsafe.length + (node === null ? 0 : 1),
  }
}

function fixOf(fix: boolean | { name: string; version: string }): string {
  if (typeof fix === 'object') return 'mended by ' + fix.name + ' ' + fix.version
  return fix ? 'mended by a newer release in range' : 'no release mends it'
}

/** Compares release numbers; what stands behind a dash counts no further. */
function isLater(one: string, other: string): boolean {
  const [left, right] = [numbersOf(one), numbersOf(other)]
  const at = left.findIndex((part, index) => part !== (right[index] ?? 0))
  return at !== -1 && (left[at] ?? 0) > (right[at] ?? 0)
}

function numbersOf(version: string): number[] {
  return (version.split('-', 1)[0] ?? '').split('.').map(Number)
}
