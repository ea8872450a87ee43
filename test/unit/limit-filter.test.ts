// The authorizations a limit counts, and the text under which its windows are kept.
import { test } from 'tap'
import { filterText, passesFilter } from '../../engine/line/limit-filter.ts'
import type { LimitFilter } from '../../shared/wire/config-records.ts'
import type { MessageRecord } from '../../shared/wire/journal-entry.ts'
import { judgedConfig } from '../harness/judged.ts'

const { message: PURCHASE } = judgedConfig()

function filter(change: Partial<LimitFilter>): LimitFilter {
  return { mccs: null, countries: null, kinds: null, card_present: null, ...change }
}

// A purchase with the chip at a grocer's (5411) in the US unless the row says otherwise.
// biome-ignore format: a table reads better in rows.
const TABLE: readonly [name: string, only: Partial<LimitFilter> | null, message: Partial<MessageRecord>, passes: boolean][] = [
  ['no filter', null, {}, true],
  ['a filter of nothing', {}, {}, true],
  ['its category', { mccs: ['5411'] }, {}, true],
  ['one of its categories', { mccs: ['7995', '5411'] }, {}, true],
  ['another category', { mccs: ['7995'] }, {}, false],
  ['its country', { countries: ['US'] }, {}, true],
  ['another country', { countries: ['CA', 'MX'] }, {}, false],
  ['its kind', { kinds: ['initial'] }, {}, true],
  ['another kind', { kinds: ['cash_withdrawal'] }, {}, false],
  ['an increment of its kind', { kinds: ['initial'] }, { kind: 'incremental' }, true],
  ['an increment of another kind', { kinds: ['cash_withdrawal'] }, { kind: 'incremental' }, false],
  ['the card there', { card_present: true }, {}, true],
  ['the card there, where it should not', { card_present: false }, {}, false],
  ['the card away', { card_present: false }, { entryMethod: 'online' }, true],
  ['the card away, where it should not', { card_present: true }, { entryMethod: 'online' }, false],
  ['category and country', { mccs: ['5411'], countries: ['US'] }, {}, true],
  ['category, but not country', { mccs: ['5411'], countries: ['CA'] }, {}, false],
  ['country, but not category', { mccs: ['7995'], countries: ['US'] }, {}, false],
  ['country and kind, but not the card', { countries: ['US'], kinds: ['initial'], card_present: false }, {}, false],
]

for (const [name, only, message, passes] of TABLE) {
  test(name + (passes ? ' is counted' : ' is not counted'), (t) => {
    t.equal(passesFilter(only === null ? null : filter(only), { ...PURCHASE, ...message }), passes)
    t.end()
  })
}

// Windows are kept under these texts: a changed text would lose the counted sums.
const TEXTS: readonly [LimitFilter | null, string][] = [
  [null, ''],
  [filter({}), ''],
  [filter({ mccs: ['7995', '5411'] }), 'mccs=5411,7995'],
  [filter({ countries: ['US', 'CA'] }), 'countries=CA,US'],
  [filter({ kinds: ['initial', 'cash_withdrawal'] }), 'kinds=cash_withdrawal,initial'],
  [filter({ card_present: true }), 'card_present=true'],
  [filter({ card_present: false }), 'card_present=false'],
  [
    filter({ card_present: true, kinds: ['initial'], countries: ['US'], mccs: ['5411'] }),
    'mccs=5411;countries=US;kinds=initial;card_present=true',
  ],
]

test('a filter has one text, in any order of its values and at every call', (t) => {
  for (const [only, text] of TEXTS) {
    t.equal(filterText(only), text)
    t.equal(filterText(only), text, 'again')
  }
  t.same(TEXTS[2]?.[0]?.mccs, ['7995', '5411'], 'its own order stays')
  t.end()
})
