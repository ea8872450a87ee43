// Mutants that no test can catch, each with the reason why it is no bug. Short on purpose, read in review.

export interface Explained {
  path: string
  /** The changed line as it stands in the source, trimmed. */
  line: string
  /** The line above it, where the line stands in the file more than once. */
  above?: string
  before: string
  after: string
  /** Which of those that look alike on the line, from the left; absent: all. */
  nth?: number
  reason: string
}

export const EXPLAINED: readonly Explained[] = [
  {
    path: 'shared/transaction-sums.ts',
    line: 'return held > 0 ? held : 0',
    before: '>',
    after: '>=',
    reason: 'they differ where nothing is held, and 0 is 0 either way',
  },
  {
    path: 'shared/transaction-sums.ts',
    line: 'return openHold(sums) + (kept > 0 ? kept : 0)',
    before: '>',
    after: '>=',
    reason: 'they differ where nothing was kept, and 0 is 0 either way',
  },
  {
    path: 'engine/rules/control-rule.ts',
    line: 'if ((judged.topics & bit) === 0) return null',
    before: '0',
    after: '1',
    reason:
      'the bits of all controls only spare the loop: it then asks each control for its own, which decides the same',
  },
  {
    path: 'engine/rules/control-rule.ts',
    line: 'return 1 << RULE_CATALOG[id].number',
    before: '1',
    after: '2',
    reason: 'every rule has its bit one place further left, in whoever writes and whoever reads it',
  },
  {
    path: 'engine/rules/max-approvable.ts',
    line: 'const counted = addedCount({ message: judged.message, cardAmountCents: 1 })',
    before: '1',
    after: '2',
    reason: 'only whether the amount is more than nothing is asked',
  },
  {
    path: 'engine/rules/max-approvable.ts',
    line: 'if (most <= 0) return 0',
    before: '<=',
    after: '<',
    reason: 'they differ where nothing is left, and then 0 is returned below as well',
  },
  {
    path: 'engine/rules/hold.ts',
    line: 'if (buffer <= 0) return approvedCents',
    before: '<=',
    after: '<',
    reason: 'a buffer of nothing adds nothing: the amount itself is what comes out below',
  },
  {
    path: 'engine/rules/listed.ts',
    line: 'if (values.length <= COMPARED_MAX) return values.includes(value)',
    before: '<=',
    after: '<',
    reason: 'a list of exactly so many is hashed instead of compared, and found or not as before',
  },
  {
    path: 'engine/rules/listed.ts',
    line: 'sets.set(values, set)',
    before: 'sets.set(values, set)',
    after: ';',
    reason: 'the set is made again for every question: slower, never different',
  },
  {
    path: 'engine/rules/listed.ts',
    line: 'bounds.set(values, pairs)',
    before: 'bounds.set(values, pairs)',
    after: ';',
    reason: 'the pairs are made again for every question: slower, never different',
  },
  {
    path: 'engine/state/windows.ts',
    line: 'const from = (slot % SLOTS_PER_SLAB) * COUNTERS + USED',
    before: '+',
    after: '-',
    reason: 'USED is the place 0',
  },
  {
    path: 'engine/state/windows.ts',
    line: 'if (this.day(slot) >= day) return',
    before: '>=',
    after: '>',
    reason:
      'on the day where the slot stands every window is current, so rolling it changes nothing',
  },
  {
    path: 'engine/state/windows.ts',
    line: 'for (let interval = 0; interval < INTERVALS; interval++) {',
    above: 'const from = (slot % SLOTS_PER_SLAB) * COUNTERS',
    before: '<',
    after: '<=',
    reason:
      'behind the last interval every window counts as current, so there is nothing to set to 0',
  },
  {
    path: 'engine/state/windows.ts',
    line: 'amounts[from + USED + interval] = 0',
    before: '+',
    after: '-',
    nth: 1,
    reason: 'USED is the place 0',
  },
  {
    path: 'engine/state/windows.ts',
    line: 'counts[from + USED + interval] = 0',
    before: '+',
    after: '-',
    nth: 1,
    reason: 'USED is the place 0',
  },
  {
    path: 'engine/state/counting.ts',
    line: 'if (after > before) countMore(counting, row, after - before, placesOf(meters, applied.keys))',
    before: '>',
    after: '>=',
    reason:
      'a message that changes nothing of what counts has no windows of its own, and adding 0 to the others changes none',
  },
  {
    path: 'engine/state/counting.ts',
    line: 'else if (after < before) countLess(counting, row, before - after)',
    before: '<',
    after: '<=',
    reason: 'giving 0 back takes nothing from any window and leaves every portion as it was',
  },
  {
    path: 'engine/state/counting.ts',
    line: 'if (left > 0) use(meters, transactions.places(row), -left, 0)',
    before: '>',
    after: '>=',
    reason: 'giving 0 back changes no window',
  },
  {
    path: 'engine/state/transaction-rows.ts',
    line: 'return this.#slab(row).readUInt32LE(at(row) + LINK_AT + offset)',
    before: '+',
    after: '-',
    nth: 1,
    reason: 'LINK_AT is the place 0',
  },
  {
    path: 'engine/state/transaction-rows.ts',
    line: 'const from = at(row) + LINK_AT',
    before: '+',
    after: '-',
    reason: 'LINK_AT is the place 0',
  },
  {
    path: 'engine/state/transaction-rows.ts',
    line: 'this.#slab(row).set(link, at(row) + LINK_AT)',
    before: '+',
    after: '-',
    reason: 'LINK_AT is the place 0',
  },
  {
    path: 'engine/rules/listed.ts',
    line: 'if (end !== undefined && first <= end + 1) pairs[pairs.length - 1] = Math.max(end, last)',
    before: '<=',
    after: '<',
    reason: 'two ranges that touch and stay two hold the same codes',
  },
  {
    path: 'engine/rules/listed.ts',
    line: 'if (end !== undefined && first <= end + 1) pairs[pairs.length - 1] = Math.max(end, last)',
    before: '+',
    after: '-',
    reason: 'ranges that share one code or touch stay two, and hold the same codes',
  },
  {
    path: 'engine/rules/listed.ts',
    line: 'return low > 0 && code <= (pairs[low * 2 - 1] as number)',
    before: '>',
    after: '>=',
    reason: 'in front of the first range stands no number, and no code is below none',
  },
  {
    path: 'engine/state/transaction-rows.ts',
    line: 'if (count > PLACES_INLINE) places.push(...(this.#morePlaces.get(row) ?? []))',
    before: '>',
    after: '>=',
    reason: 'of exactly as many places as fit a row none is kept beside it',
  },
  {
    path: 'engine/state/transaction-rows.ts',
    line: 'if (overflow !== null && overflow.places.length > 0) this.#morePlaces.set(row, overflow.places)',
    before: '>',
    after: '>=',
    reason: 'an empty list beside the row reads as none',
  },
  {
    path: 'engine/state/transaction-rows.ts',
    line: 'if (overflow !== null && overflow.keys.length > 0) this.#moreKeys.set(row, [...overflow.keys])',
    before: '>',
    after: '>=',
    reason: 'an empty list beside the row reads as none',
  },
  {
    path: 'engine/state/transactions.ts',
    line: '(this.#rows.marks(row) & USED) === 0 ? 0 : this.#rows.expiresAtMs(row),',
    before: '0',
    after: '1',
    nth: 2,
    reason:
      'a row that is free ends in no hour that is ever asked for: not in 0, and not in the first of 1970',
  },
  {
    path: 'engine/rules/listed.ts',
    line: 'ranges.push([first, dash === -1 ? first : Number(value.slice(dash + 1))])',
    before: '1',
    after: '2',
    nth: 1,
    reason: 'without a dash the text from its first character on is the same number again',
  },
  {
    path: 'engine/rules/topics.ts',
    line: 'topics = 0',
    before: 'topics = 0',
    after: ';',
    reason:
      'where a control speaks of nothing its topics are then undefined, whose bits are those of 0',
  },
  {
    path: 'engine/rules/topics.ts',
    line: 'topics = 0',
    before: '0',
    after: '1',
    reason: 'no rule has the number 0, so nobody asks for that bit',
  },
  {
    path: 'engine/rules/topics.ts',
    line: 'known.set(control, topics)',
    before: 'known.set(control, topics)',
    after: ';',
    reason: 'the topics are found out again for every question: slower, never different',
  },
  {
    path: 'engine/state/transactions.ts',
    line: 'const row = table[probe] ?? -1',
    before: '1',
    after: '2',
    reason: 'every place of a table holds a row or -1',
  },
  {
    path: 'engine/state/recall-table.ts',
    line: 'const slot = table[probe] ?? -1',
    before: '1',
    after: '2',
    reason: 'every place of a table holds a slot or -1',
  },
  {
    path: 'engine/rules/within-schedule.ts',
    line: 'concerns: (control) => control.schedule.length > 0,',
    before: '>',
    after: '>=',
    reason: 'a control without a period is asked then, and has no row to decide by',
  },
  {
    path: 'engine/lifecycle/reverse.ts',
    line: 'const rest = approvedOf(standing) - reversed - expired - released - captured',
    before: '-',
    after: '+',
    nth: 2,
    reason:
      'what ran out is held again by an advice alone, and then the rest is what is held: either way that or the amount is given back',
  },
  {
    path: 'engine/lifecycle/reverse.ts',
    line: 'const rest = approvedOf(standing) - reversed - expired - released - captured',
    before: '-',
    after: '+',
    nth: 3,
    reason:
      'only the last capture releases, and behind it nothing is held that could be given back',
  },
  {
    path: 'engine/state/expiry-buckets.ts',
    line: 'if (hour < this.#from) this.#from = hour',
    before: '<',
    after: '<=',
    reason: 'the same hour is set again',
  },
  {
    path: 'engine/state/expiry-buckets.ts',
    line: 'while (this.#from <= over && looks > 0) {',
    before: '>',
    after: '>=',
    reason: 'without a look left the loop inside looks at nothing',
  },
  {
    path: 'engine/state/expiry-buckets.ts',
    line: 'while (this.#from <= over && looks > 0) {',
    before: '0',
    after: '1',
    reason: 'a call may give its last look to the next call, which comes with the next tick',
  },
  {
    path: 'engine/state/expiry-buckets.ts',
    line: 'this.#hours.delete(this.#from)',
    before: 'this.#hours.delete(this.#from)',
    after: ';',
    reason: 'the hour stays as an empty list, which is passed over: it only takes memory',
  },
]
