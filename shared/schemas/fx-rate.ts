// Exchange rates of the installation, and the tables by which operators publish them.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { MOMENT, MOMENT_OR_NULL } from './moment.ts'

/** More than one currency against all others. */
const TABLE_RATES_MAX = 200

export const FxPair = described(
  Type.String({ pattern: '^[A-Z]{3}/[A-Z]{3}$' }),
  'Two currencies, EUR/USD: the rate is units of the second for one unit of the first.',
)
const Rate = described(
  Type.String({ pattern: '^[0-9]{1,12}(\\.[0-9]{1,12})?$' }),
  'A positive decimal number as text: at most twelve digits before the point and after it.',
)
export const FxSource = described(
  Type.String({ pattern: '^[0-9A-Za-z][0-9A-Za-z _./-]{0,63}$' }),
  'The bank or service that the rates come from.',
)

/** The fields with which an operator publishes a table. */
export const NEW_FX_TABLE = {
  source: FxSource,
  rate_at: described(MOMENT, 'Moment of the rates, ISO 8601; never ahead, at most 7 days ago.'),
  rates: described(
    Type.Array(Type.Object({ pair: FxPair, rate: Rate }, { additionalProperties: false }), {
      minItems: 1,
      maxItems: TABLE_RATES_MAX,
    }),
    'The rates. A pair that the table does not name keeps its rate.',
  ),
  confirm_large_changes: described(
    Type.Optional(Type.Boolean()),
    'True publishes rates that differ from those in force by more than 10 %.',
  ),
}
export interface NewFxTable {
  source: string
  rate_at: string
  rates: { pair: string; rate: string }[]
  confirm_large_changes?: boolean
}

export const FxTable = Type.Object({
  id: Type.String(),
  object: Type.Literal('fx_table'),
  created: Type.Integer(),
  source: FxSource,
  rate_at: described(MOMENT, 'Moment of the rates, ISO 8601.'),
  rates: described(
    Type.Array(
      Type.Object({
        pair: FxPair,
        rate: Rate,
        previous_rate: described(
          Type.Union([Type.String(), Type.Null()]),
          'The rate that was in force before; null: none was.',
        ),
      }),
    ),
    'The published rates.',
  ),
  large_changes_confirmed: described(
    Type.Boolean(),
    'True: the operator confirmed changes of more than 10 %.',
  ),
  published_by: described(
    Type.Union([Type.String(), Type.Null()]),
    'The operator who published it; null: the first rates of a sandbox installation.',
  ),
})
export type FxTable = Static<typeof FxTable>

export const FxRates = Type.Object({
  object: Type.Literal('fx_rates'),
  newest_rate_at: described(
    MOMENT_OR_NULL,
    'Moment of the newest rate, ISO 8601; null: there is none.',
  ),
  rates: described(
    Type.Array(
      Type.Object({
        pair: FxPair,
        rate: Rate,
        rate_at: described(MOMENT, 'Moment of the rate, ISO 8601.'),
        version: described(Type.Integer(), 'fx_version of the decisions that use this rate.'),
        source: described(
          Type.Union([Type.String(), Type.Null()]),
          'The bank or service that the rate comes from; null: not known.',
        ),
        fx_table_id: described(
          Type.Union([Type.String(), Type.Null()]),
          'The table that brought the rate; null: not known.',
        ),
      }),
    ),
    'One rate for each pair, by name. The engine also uses it in the other direction.',
  ),
})
export type FxRates = Static<typeof FxRates>
