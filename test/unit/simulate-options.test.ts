import { test } from 'tap'
import { parseOptions } from '../../scripts/simulate/options.ts'
import { SCENARIOS } from '../../scripts/simulate/scenarios/catalog.ts'

function commandOf(...argv: string[]) {
  const options = parseOptions(argv)
  return options.ok ? options.value.command : options.error
}

test('scenario names are unique and every story is a sentence', (t) => {
  const names = SCENARIOS.map(({ name }) => name)
  t.equal(new Set(names).size, names.length)
  t.same(
    SCENARIOS.filter(({ name, story }) => !/^[a-z0-9_]+$/.test(name) || !/^[A-Z].*\.$/.test(story)),
    [],
  )
  t.end()
})

test('the command line names scenarios, a load, or both', (t) => {
  t.same(commandOf(), { kind: 'help' })
  t.same(commandOf('--list', '--json'), { kind: 'list' })
  t.same(commandOf('--scenario', 'approve', '--scenario', 'duplicate', '--scenario', 'approve'), {
    kind: 'run',
    scenarios: ['approve', 'duplicate'],
    load: null,
  })
  t.same(
    commandOf('--scenario', 'all', '--rate', '2000', '--seconds', '1.5', '--realtime', '0.5'),
    {
      kind: 'run',
      scenarios: SCENARIOS.map(({ name }) => name),
      load: { ratePerS: 2000, seconds: 1.5, connections: 64, realtimeShare: 0.5, protocol: 'http' },
    },
  )
  t.match(commandOf('--scenario', '21'), {
    scenarios: ['duplicate_mismatch', 'iso_repeat_changed'],
  })
  t.match(commandOf('--rate', '2000', '--protocol', 'iso'), {
    load: { ratePerS: 2000, connections: 8, protocol: 'iso' },
  })
  t.end()
})

test('an invalid option is refused in one sentence that names it', (t) => {
  for (const [argv, sentence] of [
    [['--scenario', 'nonsense'], /no scenario "nonsense"/],
    [['--scenario', '61'], /no scenario "61"/],
    [['--rate', 'fast'], /--rate/],
    [['--rate', '-1'], /--rate/],
    [['--rate', '0'], /--rate/],
    [['--rate', '10', '--seconds', '0'], /--seconds/],
    [['--rate', '10', '--connections', '1.5'], /--connections/],
    [['--rate', '10', '--realtime', '2'], /--realtime/],
    [['--rate', '10', '--protocol', 'fax'], /--protocol must be "http" or "iso"/],
    [['--rate', '10', '--protocol', 'iso', '--connections', '65'], /--connections .* from 1 to 64/],
    [['--seconds', '10'], /--seconds needs --rate/],
    [['--protocol', 'iso'], /--protocol needs --rate/],
    [['--surprise'], /--surprise/],
    [['word'], /word/],
  ] as const) {
    t.match(commandOf(...argv), sentence)
  }
  t.end()
})
