// A dispatcher in the process of its test: real loops over a test's database, with a function of
// the test instead of a network.
import { t } from 'tap'
import type { Sql } from '../../api/database/pool.ts'
import {
  type AttemptOutcome,
  type ClaimedDelivery,
  notSent,
} from '../../api/webhooks/delivery/delivery.ts'
import { Dispatch } from '../../api/webhooks/delivery/dispatch.ts'
import { type Clock, systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { silentLog } from './engine-listener.ts'

const BELIEVED = {
  agrees: true,
  reason: null,
  aheadMs: 0,
  compare: async (ask: () => Promise<number>) => void (await ask()),
}

export interface TestDispatch {
  clock?: Clock
  delaysMs?: readonly number[]
  /** The outcome of the attempt, where it differs from a success within a millisecond. */
  send(delivery: ClaimedDelivery): Promise<Partial<AttemptOutcome>>
}

/** Runs until it is stopped, or until the end of the file. Every secret opens. */
export async function startDispatch(
  sql: Sql,
  { clock = systemClock, delaysMs = [0, 0, 0, 0, 0], send }: TestDispatch,
): Promise<Dispatch> {
  const dispatch = new Dispatch({
    sql,
    send: async (delivery) => ({
      ...notSent('connect', clock.nowMs(), 1),
      answeredMs: 1,
      status: 200,
      errorClass: null,
      ...(await send(delivery)),
    }),
    unseal: () => ({ ok: true, value: Buffer.from('whsec_test') }),
    schedule: { delaysMs, random: () => 0 },
    clock,
    // A test's time is its own.
    watch: BELIEVED,
    log: silentLog,
    owner: newId('dsp', systemClock.nowMs()),
  })
  await dispatch.start()
  t.teardown(() => dispatch.stop(1000))
  return dispatch
}
