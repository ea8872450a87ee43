// The fields of a cardholder that a tenant may set. The schema checks shapes; the resource checks
// whether a date or a country exists.
import type { Static, TSchema } from 'typebox'
import { Type } from '../schema-builders.ts'
import { CARDHOLDER_STATUSES } from './cardholder.ts'
import { described } from './described.ts'
import { TENANT_FIELDS_CHANGE, TENANT_FIELDS_INPUT } from './tenant-fields.ts'
import { words } from './words.ts'

const MAILBOX = '[^\\s@\\u0000-\\u001f\\u007f]{1,64}'
const DOMAIN = '[^\\s@.\\u0000-\\u001f\\u007f]{1,63}(\\.[^\\s@.\\u0000-\\u001f\\u007f]{1,63})+'

const AddressInput = Type.Object(
  {
    line1: words(200),
    line2: Type.Optional(words(200)),
    city: words(100),
    state: Type.Optional(words(100)),
    postal_code: Type.Optional(words(20)),
    country: Type.String({ pattern: '^[A-Z]{2}$' }),
  },
  { additionalProperties: false },
)
export type AddressInput = Static<typeof AddressInput>

const PERSON = {
  first_name: words(100),
  last_name: words(100),
  email: Type.String({ maxLength: 254, pattern: '^' + MAILBOX + '@' + DOMAIN + '$' }),
  phone: Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$' }),
  date_of_birth: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }),
  address: AddressInput,
}

const Name = words(255)

function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(Type.Union([schema, Type.Null()]))
}

/** Fields of a create. A name is required: `name`, or `first_name` and `last_name`. */
export const CARDHOLDER_INPUT = {
  program_id: Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }),
  type: Type.Optional(Type.Literal('individual')),
  name: Type.Optional(Name),
  first_name: Type.Optional(PERSON.first_name),
  last_name: Type.Optional(PERSON.last_name),
  email: Type.Optional(PERSON.email),
  phone: Type.Optional(PERSON.phone),
  date_of_birth: Type.Optional(PERSON.date_of_birth),
  address: Type.Optional(PERSON.address),
  ...TENANT_FIELDS_INPUT,
}

/** Fields of an update: a field that is left out stays, null clears it. */
export const CARDHOLDER_CHANGE = {
  name: Type.Optional(Name),
  first_name: orNull(PERSON.first_name),
  last_name: orNull(PERSON.last_name),
  email: orNull(PERSON.email),
  phone: orNull(PERSON.phone),
  date_of_birth: orNull(PERSON.date_of_birth),
  address: orNull(PERSON.address),
  status: described(
    Type.Optional(Type.Enum([...CARDHOLDER_STATUSES])),
    'Every authorization of an inactive cardholder is declined.',
  ),
  ...TENANT_FIELDS_CHANGE,
}

const Change = Type.Object(CARDHOLDER_CHANGE)
/** A create is an update of a cardholder without any data. */
export type CardholderChange = Static<typeof Change>
