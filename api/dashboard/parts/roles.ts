// Roles of people, with their rights in a few words.
import { PERSON_ROLES, type PersonRole, ROLE_TEXTS } from '../../../shared/schemas/person.ts'
import { facts } from './facts.ts'
import type { Option } from './form.ts'

/** The role and its rights. */
export function roleText(role: PersonRole): string {
  return role + ': ' + ROLE_TEXTS[role]
}

/** Every role of a choice; the API refuses one above the chooser's own. */
export const ROLE_OPTIONS: readonly Option[] = PERSON_ROLES.map((role) => [role, role])
/** The rights of each, under the choice: an option of both is cut off on a phone. */
export const ROLE_RIGHTS = facts(PERSON_ROLES.map((role) => [role, ROLE_TEXTS[role]]))
