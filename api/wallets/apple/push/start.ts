// Keeps the pushes going while the dispatcher runs.
import { type Clock, sleep } from '../../../../shared/clock.ts'
import type { Logger } from '../../../../shared/log.ts'
import type { Sql } from '../../../database/pool.ts'
import { createBell } from '../../../delivery/bell.ts'
import { repeat } from '../../../delivery/repeat.ts'
import type { AppleIssuer } from '../issuer.ts'
import { pushRound } from './pump.ts'
import { openPushService } from './push-service.ts'

const STOP_MS_MAX = 2000

export interface PushSettings {
  issuer: AppleIssuer
  /** Where Apple's push service is. */
  url: string
  /** PEM of an authority that it is trusted by besides the public ones, or null. */
  authority: string | null
}

export interface Pushing {
  /** What is under way is left to whoever claims it next. */
  stop(): Promise<void>
}

export function startPushing(
  settings: PushSettings,
  world: { sql: Sql; clock: Clock; log: Logger; publicUrl: string },
): Pushing {
  const { issuer, url, authority } = settings
  const { certificate, key } = issuer.certificates
  const { clock, log } = world
  const service = openPushService({
    url,
    certificate,
    key,
    authority,
    topic: issuer.passType,
    clock,
  })
  const bell = createBell()
  let runs = true
  const ended = repeat({
    name: 'push',
    log,
    bell,
    running: () => runs,
    step: () => pushRound({ ...world, service }),
  })
  return {
    async stop() {
      runs = false
      service.close()
      bell.ring()
      await Promise.race([ended, sleep(STOP_MS_MAX)])
    },
  }
}
