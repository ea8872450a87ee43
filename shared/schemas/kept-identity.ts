// The identity of an erased cardholder, which the law keeps for years, as an operator sees it.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { Address } from './cardholder.ts'
import { described } from './described.ts'

const TextOrNull = Type.Union([Type.String(), Type.Null()])

export const KeptIdentity = Type.Object({
  id: described(Type.String(), 'Id of the cardholder.'),
  object: Type.Literal('kept_identity'),
  erased_at: described(Type.Integer(), 'Unix seconds of the erasure.'),
  name: described(Type.String(), 'The whole name.'),
  first_name: described(TextOrNull, 'The given name; null where only the whole name was known.'),
  last_name: described(TextOrNull, 'The family name; null where only the whole name was known.'),
  email: described(TextOrNull, 'The last known address of mail; null where it was not known.'),
  phone: described(TextOrNull, 'E.164.'),
  date_of_birth: described(TextOrNull, 'YYYY-MM-DD.'),
  address: described(
    Type.Union([Address, Type.Null()]),
    'Where they lived; null where it was not known.',
  ),
})
export type KeptIdentity = Static<typeof KeptIdentity>
