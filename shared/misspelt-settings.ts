// Variables of the environment that look like settings of ours and are none: a misspelt name would
// be ignored in silence.
import { jaroWinkler } from '@skyra/jaro-winkler'
import { SETTINGS } from './settings.ts'

/**
 * Chosen: from this similarity (Jaro-Winkler, 0 to 1) on, the warning names the known variable. All
 * names begin alike, which raises the similarity of any two.
 */
const ALIKE_MIN = 0.9
/** Tests and examples of the documents use these names, and `npm run cluster` that of etcd. */
const OTHER_NAMES = /^SVC_(?:TEST_\w+|FUZZ_\w+|SIMULATION_SHORT|CLUSTER_WORLDS|ETCD_BIN|KEY|URL)$/

/**
 * A sentence for each variable that begins with `SVC_` and is no setting, with the nearest known
 * name where one is near. Never the value: it may be a secret.
 */
export function misspeltSettings(environment: {
  readonly [name: string]: string | undefined
}): string[] {
  const known = Object.keys(SETTINGS)
  return Object.keys(environment)
    .filter((name) => /^svc_/i.test(name) && !known.includes(name))
    .filter((name) => !OTHER_NAMES.test(name))
    .sort()
    .map((name) => {
      const near = nearest(name, known)
      return name + ' is no setting' + (near === null ? '.' : ': ' + near + ' is meant?')
    })
}

function nearest(name: string, known: readonly string[]): string | null {
  const ranked = known
    .map((candidate) => ({ candidate, alike: jaroWinkler(name.toUpperCase(), candidate) }))
    .sort((one, other) => other.alike - one.alike)
  const [best] = ranked
  return best !== undefined && best.alike >= ALIKE_MIN ? best.candidate : null
}
