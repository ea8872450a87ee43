import { test } from 'tap'
import { type Admission, Breakers, isFailure } from '../../engine/tenant/breaker.ts'
import type { TenantOutcome } from '../../shared/wire/journal-entry.ts'

const START_MS = 5_000_000

const endpoint = (id: string, version = 1) => ({ id, version })

/** An endpoint's breaker with a clock moved by hand. */
class Asked {
  readonly breakers = new Breakers()
  nowMs = START_MS

  admit(): Admission {
    return this.breakers.admit(endpoint('we_1'), this.nowMs)
  }

  report(admission: Admission, failed: boolean): void {
    this.breakers.report(admission, failed, this.nowMs)
  }

  /** Makes one call after another; returns the state that the last one met. */
  call(failed: boolean, times = 1, everyMs = 0): string {
    let state = ''
    for (let index = 0; index < times; index++) {
      this.nowMs += everyMs
      const admission = this.admit()
      state = admission.state
      if (state !== 'open') this.report(admission, failed)
    }
    return state
  }

  get shown() {
    return this.breakers.reportOf('we_1', this.nowMs)
  }
}

test('ten failures in a row open the breaker; nine and a success do not', (t) => {
  const asked = new Asked()
  asked.call(true, 9)
  asked.call(false)
  t.equal(asked.call(true, 9), 'closed')
  t.equal(asked.shown.state, 'closed')
  t.equal(asked.call(true), 'closed', 'the tenth is still asked')
  t.same(asked.shown, { state: 'open', for_ms: 0, opened_count: 1 })
  t.equal(asked.call(true), 'open', 'the next is not')
  t.same([asked.breakers.open, asked.breakers.openings], [1, 1])
  t.end()
})

test('more than half of at least twenty calls within ten seconds open it; half do not', (t) => {
  const half = new Asked()
  for (let index = 0; index < 50; index++) half.call(index % 2 === 1)
  t.equal(half.shown.state, 'closed', 'exactly half')

  const few = new Asked()
  for (let index = 0; index < 9; index++) {
    few.call(true)
    few.call(false)
  }
  few.call(true)
  t.equal(few.shown.state, 'closed', '10 of 19 are too few calls to tell')
  few.call(true)
  t.equal(few.shown.state, 'open', '11 of 20')
  t.end()
})

test('failures older than ten seconds no longer count', (t) => {
  const asked = new Asked()
  for (let index = 0; index < 9; index++) {
    asked.call(true)
    asked.call(false)
  }
  asked.nowMs += 10_000
  for (let index = 0; index < 5; index++) {
    asked.call(true)
    asked.call(true)
    asked.call(false)
  }
  t.equal(asked.shown.state, 'closed', '10 of 15 are left')
  asked.nowMs += 9_000
  asked.call(true, 5)
  t.equal(asked.shown.state, 'open', '15 of 20, all within ten seconds')
  t.end()
})

test('an open breaker admits one probe a second; a success closes it, a failure does not', (t) => {
  const asked = new Asked()
  asked.call(true, 10)
  const openedMs = asked.nowMs
  asked.nowMs = openedMs + 999
  t.equal(asked.admit().state, 'open')
  asked.nowMs = openedMs + 1000
  const probe = asked.admit()
  t.equal(probe.state, 'half_open')
  t.equal(asked.shown.state, 'half_open')
  t.equal(asked.admit().state, 'open', 'one probe, not two')
  asked.report(probe, true)
  t.match(asked.shown, { state: 'open', for_ms: 1000, opened_count: 1 })
  asked.nowMs = openedMs + 1999
  t.equal(asked.admit().state, 'open')
  asked.nowMs = openedMs + 2000
  asked.report(asked.admit(), false)
  t.match(asked.shown, { state: 'closed', for_ms: 0, opened_count: 1 })
  t.equal(asked.call(true, 9), 'closed', 'nothing from before counts')
  asked.call(true)
  t.match(asked.shown, { state: 'open', opened_count: 2 })
  t.end()
})

test('a probe that hangs does not stop the next one', (t) => {
  const asked = new Asked()
  asked.call(true, 10)
  asked.nowMs += 1000
  const hanging = asked.admit()
  asked.nowMs += 1000
  const next = asked.admit()
  t.same([hanging.state, next.state], ['half_open', 'half_open'])
  asked.report(next, false)
  t.equal(asked.shown.state, 'closed')
  asked.report(hanging, true)
  t.equal(asked.shown.state, 'closed', 'it answers for a time that is over')
  t.end()
})

test('calls from before an opening do not count after it', (t) => {
  const asked = new Asked()
  const underWay = Array.from({ length: 30 }, () => asked.admit())
  for (const admission of underWay.slice(0, 10)) asked.report(admission, true)
  t.equal(asked.shown.state, 'open')
  asked.report(underWay[10] as Admission, false)
  t.equal(asked.shown.state, 'open', 'only a probe closes it')
  asked.nowMs += 1000
  asked.report(asked.admit(), false)
  for (const admission of underWay.slice(11)) asked.report(admission, true)
  t.equal(asked.shown.state, 'closed')
  t.end()
})

test('a changed endpoint begins with a closed breaker', (t) => {
  const asked = new Asked()
  const underWay = Array.from({ length: 30 }, () => asked.admit())
  for (const admission of underWay.slice(0, 10)) asked.report(admission, true)
  t.equal(asked.shown.state, 'open')
  const moved = endpoint('we_1', 2)
  const admission = asked.breakers.admit(moved, asked.nowMs)
  t.equal(admission.state, 'closed')
  for (const late of underWay.slice(10)) asked.report(late, true)
  t.equal(
    asked.breakers.admit(moved, asked.nowMs).state,
    'closed',
    'what failed before is not its fault',
  )
  t.equal(asked.breakers.peek(moved).state, 'closed')
  t.end()
})

test('endpoints have separate breakers, ten thousand at most', (t) => {
  const asked = new Asked()
  asked.call(true, 10)
  t.equal(asked.breakers.admit(endpoint('we_2'), asked.nowMs).state, 'closed')
  for (let index = 0; index < 9_998; index++)
    asked.breakers.admit(endpoint('we_more_' + index), asked.nowMs)
  t.equal(asked.admit().state, 'open', 'asked again, so no longer the oldest')
  for (let index = 0; index < 9_999; index++)
    asked.breakers.admit(endpoint('we_last_' + index), asked.nowMs)
  t.equal(asked.admit().state, 'open')
  for (let index = 0; index < 10_000; index++)
    asked.breakers.admit(endpoint('we_end_' + index), asked.nowMs)
  t.equal(asked.shown.state, 'closed', 'forgotten')
  t.equal(asked.breakers.openings, 1)
  t.end()
})

test('every silence that the endpoint causes is a failure', (t) => {
  const table: { readonly [Outcome in TenantOutcome]: boolean } = {
    answered_approve: false,
    answered_decline: false,
    timeout_connect: true,
    timeout_response: true,
    connection_error: true,
    tls_error: true,
    http_status: true,
    malformed_json: true,
    malformed_schema: true,
    oversized: true,
    bulkhead_full: false,
    breaker_open: false,
    not_configured: false,
  }
  for (const [outcome, failed] of Object.entries(table))
    t.equal(isFailure(outcome as TenantOutcome), failed, outcome)
  t.end()
})
