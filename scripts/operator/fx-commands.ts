// Commands about exchange rates.
import type { Command, Document } from './caller.ts'
import { ratesIn } from './fx-file.ts'
import { fields, table } from './show.ts'

const TABLES = '/operator/v1/fx_tables'

function text(about: string, required = true) {
  return { kind: 'text', required, about } as const
}

export const FX_COMMANDS: readonly Command[] = [
  {
    words: 'rates publish',
    names: null,
    about: 'Publishes exchange rates; the engine converts by them at once.',
    fields: {
      file: text(
        'CSV, a pair and its rate a line: EUR/USD,1.0850; or JSON; - reads the standard input',
      ),
      source: text('bank or service of the rates; not needed where the JSON has it', false),
      'rate-at': text('moment of the rates, ISO 8601; not needed where the JSON has it', false),
      'confirm-large-changes': text(
        'yes publishes rates more than 10 % from those in force',
        false,
      ),
    },
    run(call, _id, given) {
      const { file, confirm_large_changes: confirmed, ...named } = given
      const isConfirmed = confirmed === 'yes' && { confirm_large_changes: true }
      return call.send('POST', TABLES, { ...ratesIn(String(file)), ...named, ...isConfirmed })
    },
    show({ rates, ...rest }) {
      return fields(rest) + '\n\n' + table({ data: rates }, ['pair', 'rate', 'previous_rate'])
    },
  },
  {
    words: 'rates show',
    names: null,
    about: 'The exchange rates in force.',
    fields: {},
    run: (call) => call.read('/operator/v1/fx_rates'),
    show: ({ rates }) => table({ data: rates }, ['pair', 'rate', 'rate_at', 'source', 'version']),
  },
  {
    words: 'rates tables',
    names: null,
    about: 'The published tables of exchange rates, newest first.',
    fields: {
      pair: text('only those that name this pair, such as EUR/USD', false),
      source: text('only those of this source', false),
    },
    run: (call, _id, given) => call.list(TABLES, given),
    show: ({ data }) =>
      table({ data: (data as readonly Document[]).map(counted) }, [
        ...['id', 'source', 'rate_at', 'rates', 'large_changes_confirmed'],
        ...['published_by', 'created'],
      ]),
  },
]

function counted(of: Document): Document {
  return { ...of, rates: (of['rates'] as readonly unknown[]).length }
}
