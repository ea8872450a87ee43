// A recorded event without the person. The fields are those of every API version, by the name that
// the resource gives itself.
import type { EventEnvelope } from '../../../shared/schemas/event.ts'

/** The name of an erased person, in place of the former one. */
export const ERASED_NAME = 'Erased'

const OWN_DATA = { external_id: null, metadata: {} }
const ADDRESS = {
  name: null,
  line1: null,
  line2: null,
  city: null,
  state: null,
  postal_code: null,
  country: null,
  tracking_number: null,
}

/** Fields of a resource that tell of a person, and what stands there after an erasure. */
const ERASED_FIELDS: Readonly<Record<string, { readonly [field: string]: unknown }>> = {
  cardholder: {
    name: ERASED_NAME,
    first_name: null,
    last_name: null,
    email: null,
    phone: null,
    date_of_birth: null,
    address: null,
    frozen_reason: null,
    ...OWN_DATA,
  },
  card: { name_on_card: null, shipping: ADDRESS, ...OWN_DATA },
  pass: { holder_name: null, field_values: {}, values: {}, ...OWN_DATA },
}

/** Returns the envelope as it is stored, sent and shown from the erasure on. */
export function withoutPerson(envelope: EventEnvelope): EventEnvelope {
  const data = Object.fromEntries(
    Object.entries(envelope.data as object).map(([name, resource]) => [
      name,
      erased(name, resource),
    ]),
  )
  const { previous_attributes: before } = envelope
  const [name = ''] = Object.keys(data)
  return before === undefined
    ? { ...envelope, data }
    : { ...envelope, data, previous_attributes: erased(name, before) as typeof before }
}

function erased(name: string, resource: unknown): unknown {
  if (typeof resource !== 'object' || resource === null) return resource
  const fields = ERASED_FIELDS[name] ?? {}
  return Object.fromEntries(
    Object.entries(resource).map(([field, value]) => [
      field,
      field in fields ? inPlaceOf(value, fields[field]) : value,
    ]),
  )
}

/** An object keeps its other fields, and what was null stays null. */
function inPlaceOf(value: unknown, replacement: unknown): unknown {
  if (value === null || typeof value !== 'object' || replacement !== ADDRESS)
    return value === null ? null : replacement
  return { ...value, ...ADDRESS }
}
