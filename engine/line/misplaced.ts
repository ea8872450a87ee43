// Several shards: a message about a card of another shard is refused, so that every window keeps
// one serial owner.
import { FIRST_SHARD } from '../../shared/shards.ts'
import type { ProgramConfig } from '../../shared/wire/config-records.ts'
import { type Arrival, type Gathered, type Line, type Refused, refusal } from './line.ts'

/**
 * The refusal of a message that this shard must not decide; null where it may. An engine declines
 * an unknown card only where the front door does not know the card either.
 */
export function misplaced(line: Line, arrival: Arrival, gathered: Gathered | null): Refused | null {
  if (line.shard === null) return null
  if (gathered !== null) return misplacement(line, gathered.judged.program)
  return arrival.unlocated === true
    ? null
    : refusal('not_ready', null, 'Shard ' + line.shard + ' does not know this card.')
}

/** The refusal for a program of another shard; null for one of this shard. */
export function misplacement({ shard: own }: Line, { shard }: ProgramConfig): Refused | null {
  const placed = shard ?? FIRST_SHARD
  if (own === null || placed === own) return null
  return refusal(
    'not_ready',
    null,
    'The card belongs to shard ' + placed + ', this is ' + own + '.',
  )
}
