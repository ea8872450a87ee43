// Runs the push rounds while the dispatcher runs.
import type { Clock } from '../../../../../shared/clock.ts'
import type { Logger } from '../../../../../shared/log.ts'
import type { Sql } from '../../../../database/pool.ts'
import { type Pushing, startRounds } from '../../rounds.ts'
import { pushRound } from './pump.ts'
import { openPushService, type PushSettings } from './push-service.ts'

export function startPushing(
  settings: PushSettings,
  world: { sql: Sql; clock: Clock; log: Logger; publicUrl: string },
): Pushing {
  const { clock, log } = world
  const service = openPushService({ ...settings, clock })
  return startRounds('push', log, {
    step: () => pushRound({ ...world, service }),
    close: service.close,
  })
}
