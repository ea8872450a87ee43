// Tells devices of changed passes: claims some that are due, pushes to each device that has them, and strikes them out, or puts
// them off where nobody could be told. A device that Apple's service no longer finds has lost its passes. The dispatcher runs it;
// several may run it at once.
import type { Clock, EpochMs } from '../../../../shared/clock.ts'
import type { Logger } from '../../../../shared/log.ts'
import type { Sql } from '../../../database/pool.ts'
import { tx } from '../../../database/transaction.ts'
import {
  type ClaimedPush,
  claimPushes,
  installationsOfDevice,
  postponePush,
  recordRemoved,
  strikePushes,
} from '../../../resources/passes/index.ts'
import { type DeviceRow, findDevices } from '../store.ts'
import type { PushOutcome, PushService } from './push-service.ts'

const CLAIMED_MAX = 200
/** Beyond what so many pushes take, and then others may try. */
const LEASE_MS = 120_000
/** Pauses while there is nothing to do: a change is pushed this much later at the latest. */
const IDLE_MS = 500
const RETRY_MS_MIN = 1000
const RETRY_MS_MAX = 3_600_000
/** Chosen: some hours. Who has not been told by then asks by itself some day, as wallets do. */
const ATTEMPTS_MAX = 16
/** Something of ours is wrong: that takes a person. */
const REFUSED_MS = 300_000

export interface PushWorld {
  sql: Sql
  service: PushService
  clock: Clock
  log: Logger
  /** Where holders of passes reach us. */
  publicUrl: string
}

interface Told {
  push: ClaimedPush
  /** Of each device, in their order. */
  outcomes: readonly { device: DeviceRow; outcome: PushOutcome }[]
}

/** One round. How many milliseconds to wait before the next; 0: there is more. */
export async function pushRound(world: PushWorld): Promise<number> {
  const { sql, clock } = world
  const now = clock.nowMs()
  const claim = { platform: 'apple' as const, now, leaseUntil: now + LEASE_MS, most: CLAIMED_MAX }
  const claimed = await claimPushes(sql, claim)
  if (claimed.length === 0) return IDLE_MS
  const devices = await findDevices(
    sql,
    claimed.map(({ passId }) => passId),
  )
  const ofPass = Map.groupBy(devices, ({ passId }) => passId)
  const told = await Promise.all(
    claimed.map((push) => tell(world.service, push, ofPass.get(push.passId) ?? [])),
  )
  await settle(world, told)
  return claimed.length < CLAIMED_MAX ? IDLE_MS : 0
}

async function tell(
  service: PushService,
  push: ClaimedPush,
  devices: readonly DeviceRow[],
): Promise<Told> {
  const outcomes = await Promise.all(
    devices.map(async (device) => ({ device, outcome: await service.push(device.pushToken) })),
  )
  return { push, outcomes }
}

async function settle(world: PushWorld, told: readonly Told[]): Promise<void> {
  const { sql, clock, log } = world
  const gone = told.flatMap(({ outcomes }) =>
    outcomes.filter(({ outcome }) => outcome.kind === 'gone').map(({ device }) => device.pushToken),
  )
  for (const pushToken of new Set(gone)) await forgetDevice(world, pushToken)
  const done: ClaimedPush[] = []
  const now = clock.nowMs()
  for (const { push, outcomes } of told) {
    const again = dueAgain(
      push.attempt,
      outcomes.map(({ outcome }) => outcome),
      now,
    )
    if (again === null) done.push(push)
    else await postponePush(sql, 'apple', push, again)
  }
  await strikePushes(sql, 'apple', done)
  const problems = told.flatMap(({ outcomes }) =>
    outcomes.flatMap(({ outcome }) => ('reason' in outcome ? [outcome.reason] : [])),
  )
  // One line of a round: an outage would say it for every device.
  if (problems.length > 0)
    log.warn({ count: problems.length, reason: problems[0] }, 'devices could not be told')
}

/** When a pass is told of again, to all its devices: those that know fetch nothing new. Null: it is done, or given up. */
export function dueAgain(
  attempt: number,
  outcomes: readonly PushOutcome[],
  now: EpochMs,
): { dueAt: EpochMs; error: string } | null {
  if (attempt >= ATTEMPTS_MAX) return null
  const backOffMs = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (attempt - 1))
  let dueAt: EpochMs | null = null
  let error = ''
  for (const outcome of outcomes) {
    if (outcome.kind === 'taken' || outcome.kind === 'gone') continue
    const askedMs = outcome.kind === 'refused' ? REFUSED_MS : (outcome.afterMs ?? 0)
    dueAt = Math.max(dueAt ?? 0, now + Math.max(backOffMs, askedMs))
    error = outcome.reason
  }
  return dueAt === null ? null : { dueAt, error }
}

/** Each pass in a transaction of its own: they may be of many tenants. */
async function forgetDevice(
  { sql, clock, log, publicUrl }: PushWorld,
  pushToken: string,
): Promise<void> {
  const installations = await installationsOfDevice(sql, pushToken)
  for (const installation of installations) {
    const call = { now: clock.nowMs(), publicUrl }
    await tx(sql, (inner) => recordRemoved(inner, { ...installation, ...call }), {
      safeToRepeat: true,
    })
  }
  log.info({ count: installations.length }, 'a device is gone')
}
