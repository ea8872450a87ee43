// Outside parties that a start plays, in one process. A party that the settings name elsewhere is
// left out.
import type { PartyName } from '../outside-parties/parties.ts'
import type { Environment } from './config.ts'

export interface StartedParty {
  name: PartyName
  /** Settings that only the party needs. */
  environment: Environment
}

/** The environment of the process that plays these parties. */
export function partiesEnvironment(parties: readonly StartedParty[]): Environment {
  return Object.assign(
    { SVC_OUTSIDE_PARTIES: parties.map(({ name }) => name).join(',') },
    ...parties.map(({ environment }) => environment),
  ) as Environment
}
