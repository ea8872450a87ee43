// The table of the sixty scenarios: complete, and each played.
import { test } from 'tap'
import { renderList } from '../../scripts/simulate/report.ts'
import { SCENARIOS } from '../../scripts/simulate/scenarios/catalog.ts'
import { theSixty } from '../../scripts/simulate/scenarios/sixty.ts'
import { ISOLATED_STORIES } from '../isolated/stories/all.ts'

const STORIES = [...SCENARIOS, ...ISOLATED_STORIES]
const sixty = theSixty(STORIES)

test('the table has sixty scenarios in the order of their numbers', (t) => {
  t.same(
    sixty.map(({ number }) => number),
    Array.from({ length: 60 }, (_, index) => index + 1),
  )
  const played = STORIES.flatMap(({ covers = [] }) => covers)
  t.same(
    played.filter((number) => !sixty.some((row) => row.number === number)),
    [],
    'no story plays another number',
  )
  t.end()
})

test('each scenario is played', (t) => {
  for (const { number, stories } of sixty) t.ok(stories.length > 0, number + ' is played')
  t.end()
})

test('the list names the scenario of a number, and its stories', (t) => {
  const list = renderList(theSixty(SCENARIOS), SCENARIOS)
  t.match(list, /^ 1 {2}An approval\n {6}played by {2}approve, /m)
  t.match(list, /^56 {2}A settlement file .*\n {6}played by {2}clearing_file/m)
  t.match(list, /^approve +An everyday purchase/m)
  t.notMatch(list, /^13 {2}/m, 'only played with an engine of its own')
  t.end()
})
