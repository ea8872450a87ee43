// Mutants of the authorization line that no test can catch.
import type { Explained } from './explained.ts'

export const LINE: readonly Explained[] = [
  {
    path: 'engine/line/card-cache.ts',
    line: ['utcDay: 0,', 'zoneDay: 0,'],
    before: '0',
    after: '1',
    reason: 'the days of windows that are not there yet are never compared',
  },
  {
    path: 'engine/line/match-transaction.ts',
    line: 'if (link === null || transactionId === null) return null',
    before: '||',
    after: '&&',
    reason: 'a message has both or, where nobody knows its card, neither',
  },
  {
    path: 'engine/line/conclude.ts',
    line: 'const effect = link === null || change === null ? null : effectOf(link, transaction, change)',
    before: '||',
    after: '&&',
    reason: 'a message has both or, where nobody knows its card, neither',
  },
  {
    path: 'engine/line/conclude.ts',
    line: 'if (decision.marks.length > 0) stopCard(line, pending, entry)',
    before: '>',
    after: '>=',
    reason: 'a rule that a message is not marked for does not fire: the look is only saved',
  },
  {
    path: 'engine/line/conclude.ts',
    line: 'const requested = pending.gathered?.judged.cardAmountCents ?? 0',
    before: '0',
    after: '1',
    reason: 'a message without configCache is declined before its amount is looked at',
  },
  {
    path: 'engine/line/conclude.ts',
    line: [
      "return { reason: 'issuer_overloaded', amount: 0, decidedBy: 'system', standIn: false }",
      ": { reason: changed, amount: 0, decidedBy: 'static_controls', standIn: false }",
      'return { reason, amount: 0, decidedBy, standIn: false }',
      "return { reason: tenantReason(tenant.reason), amount: 0, decidedBy: 'tenant', standIn: false }",
      "return { reason: 'tenant_declined', amount: 0, decidedBy: 'tenant', standIn: false }",
    ],
    before: '0',
    after: '1',
    reason: 'the amount of a decline is nothing whatever stands there',
  },
  {
    path: 'engine/line/conclude.ts',
    line: 'if (tenant === null || gathered === null || standIn === null)',
    before: '||',
    after: '&&',
    nth: 1,
    reason:
      'where one of the two is missing nobody knows what stand-in would say, so it is missing too',
  },
  {
    path: 'engine/line/record-notification.ts',
    line: 'const follows = match !== null && line.state.transactions.places(match.row).length > 0',
    before: '0',
    after: '1',
    reason:
      'what counts at all counts in the windows of program, cardholder and card: in three or more',
  },
  {
    path: 'engine/line/limit-filter.ts',
    line: 'texts.set(filter, text)',
    before: 'texts.set(filter, text)',
    after: ';',
    reason: 'the text is written anew for each configRecord that names the filter: slower',
  },
  {
    path: 'engine/line/limit-views.ts',
    line: 'return { scope, limit, interval, startMs, endMs, place: -1, at: 0 }',
    before: '0',
    after: '1',
    reason: 'an authorization by itself has no window, so no moment of one is looked at',
  },
  {
    path: 'engine/line/limit-views.ts',
    line: 'if (sum > largest) largest = sum',
    before: '>',
    after: '>=',
    reason: 'of two sums that are equal either is the largest',
  },
  {
    path: 'engine/line/limit-views.ts',
    line: 'if (interval === -1) return UNBOUND',
    before: '1',
    after: '2',
    reason: 'the calendar says the same of an authorization by itself: slower',
  },
  {
    path: 'engine/line/default-windows.ts',
    line: 'for (let place = 0; place < meters.length; place++) {',
    before: '<',
    after: '<=',
    reason: 'behind the last window no meter is missing',
  },
  {
    path: 'engine/line/pending-increments.ts',
    line: 'cents += gathered?.judged.cardAmountCents ?? 0',
    before: '0',
    after: '1',
    reason: 'an increment lets go of its configCache when it is decided, and then it waits no more',
  },
  {
    path: 'engine/line/pending-increments.ts',
    line: 'if (others.size === 0) this.#waiting.delete(id)',
    before: 'this.#waiting.delete(id)',
    after: ';',
    reason: 'a transaction for which nobody waits is one with nothing to add: it only takes memory',
  },
]
