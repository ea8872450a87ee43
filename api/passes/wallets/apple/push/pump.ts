// Pushes changed passes to devices: claims some that are due, pushes to each device that has them,
// and deletes the entries, or postpones them if no device was reached. A device that Apple's
// service no longer finds has lost its passes. The dispatcher runs it; several may run it at once.
import type { Clock } from '../../../../../shared/clock.ts'
import type { Logger } from '../../../../../shared/log.ts'
import type { Sql } from '../../../../database/pool.ts'
import { tx } from '../../../../database/transaction.ts'
import type { Job, OpenJob } from '../../../../jobs/job.ts'
import { claimPushes, installationsOfDevice, recordRemoved } from '../../../passes/index.ts'
import { type PushOutcome, settlePushes } from '../../pushes.ts'
import { type DeviceRow, findDevices } from '../store.ts'
import { openPushService, type PushService, type PushSettings } from './push-service.ts'

const CLAIMED_MAX = 200
/** Longer than the pushes of a round take; then other dispatchers may claim them. */
const LEASE_MS = 120_000
/** A change is pushed this much later at the latest. */
const IDLE_MS = 500

export interface PushWorld {
  sql: Sql
  service: PushService
  clock: Clock
  log: Logger
  /** Public address for holders of passes. */
  publicUrl: string
}

interface DeviceTold {
  device: DeviceRow
  outcome: PushOutcome
}

/** Runs one round. Returns the number of passes. */
export async function pushRound(world: PushWorld): Promise<number> {
  const { sql, clock } = world
  const now = clock.nowMs()
  const claim = { platform: 'apple' as const, now, leaseUntil: now + LEASE_MS, most: CLAIMED_MAX }
  const claimed = await claimPushes(sql, claim)
  if (claimed.length === 0) return 0
  const devices = await findDevices(
    sql,
    claimed.map(({ passId }) => passId),
  )
  const ofPass = Map.groupBy(devices, ({ passId }) => passId)
  const told = await Promise.all(
    claimed.map(async (push) => {
      const heard = await tell(world.service, ofPass.get(push.passId) ?? [])
      return { push, heard, outcomes: heard.map(({ outcome }) => outcome) }
    }),
  )
  await purgeGone(
    world,
    told.flatMap(({ heard }) => heard),
  )
  await settlePushes(world, 'apple', told)
  return claimed.length
}

/** Pushes to Apple's service while the dispatcher runs. */
export function applePushJob(
  settings: PushSettings,
  { clock, publicUrl }: Pick<PushWorld, 'clock' | 'publicUrl'>,
): OpenJob {
  const service = openPushService({ ...settings, clock })
  const job: Job = {
    name: 'apple_pushes',
    every: IDLE_MS,
    lease: LEASE_MS,
    batch: CLAIMED_MAX,
    run: ({ sql, log }) => pushRound({ sql, service, clock, log, publicUrl }),
  }
  return { job, close: service.close }
}

function tell(service: PushService, devices: readonly DeviceRow[]): Promise<DeviceTold[]> {
  return Promise.all(
    devices.map(async (device) => ({ device, outcome: await service.push(device.pushToken) })),
  )
}

async function purgeGone(world: PushWorld, told: readonly DeviceTold[]): Promise<void> {
  const gone = told.filter(({ outcome }) => outcome.kind === 'gone')
  for (const pushToken of new Set(gone.map(({ device }) => device.pushToken)))
    await forgetDevice(world, pushToken)
}

/** Each pass runs in a transaction of its own: the passes may belong to many tenants. */
async function forgetDevice(
  { sql, clock, log, publicUrl }: PushWorld,
  pushToken: string,
): Promise<void> {
  const installations = await installationsOfDevice(sql, pushToken)
  for (const installation of installations) {
    // A device that registers another token meanwhile still exists.
    const call = { pushToken, now: clock.nowMs(), publicUrl }
    await tx(sql, (inner) => recordRemoved(inner, { ...installation, ...call }), {
      safeToRepeat: true,
    })
  }
  log.info({ count: installations.length }, 'a device is gone')
}
