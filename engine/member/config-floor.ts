// The floor of confirmed config records as text, and the records that cover it. Cursors of two
// databases cannot be compared: after a promotion that lost transactions the ids go back.
import { snapshotFollows } from '../../shared/wire/control.ts'

/** The complete config records of a member. */
export interface HeldConfig {
  cursor: string
  databaseId: string
  /** The database that attached here; null before the first. */
  attachedTo: string | null
}

/** The cursor stands first: the release before reads its first two numbers and nothing more. */
export function floorOf({ cursor, databaseId }: Pick<HeldConfig, 'cursor' | 'databaseId'>): string {
  return cursor + ' ' + databaseId
}

/**
 * True where the records contain all that was confirmed, or are a full copy of the attached
 * database which took the place of the one that confirmed. `replaces` compares two databases.
 */
export function coversFloor(
  floor: string,
  { cursor, databaseId, attachedTo }: HeldConfig,
  replaces: (databaseId: string, formerId: string) => boolean,
): boolean {
  const [confirmed = '', formerId = databaseId] = floor.split(' ', 2)
  if (formerId === databaseId) return snapshotFollows(cursor, confirmed)
  return databaseId === attachedTo && replaces(databaseId, formerId)
}
