// A recorded event without the person. The fields are those of every API version, by the name that
// the resource gives itself.
import type { EventEnvelope } from '../../../shared/schemas/event.ts'
import {
  SUSPEND_REASON_REFERENCE,
  TERMINATE_REASON_REFERENCE,
} from '../../../shared/state-reference.ts'

/** The name of an erased person, in place of the former one. */
export const ERASED_NAME = 'Erased'

/** A reason in the place of a caller's words. */
export const ERASED_REASON = 'erased'

/** Reasons that the service wrote: they tell nothing of a person. */
export const OWN_REASONS: readonly string[] = [
  ...Object.keys(SUSPEND_REASON_REFERENCE),
  ...Object.keys(TERMINATE_REASON_REFERENCE),
  'card_terminated',
]

/** Returns the erased form of a value that is not null. */
type Erase = (value: unknown) => unknown

const gone: Erase = () => null
const emptied: Erase = () => ({})
const textsEmptied: Erase = (values) =>
  Object.fromEntries(Object.keys(values as object).map((name) => [name, '']))
const reasonErased: Erase = (reason) =>
  OWN_REASONS.includes(reason as string) ? reason : ERASED_REASON
const TENANT_FIELDS = { external_id: gone, metadata: emptied }
/** A shipment that tells nothing. */
export const ERASED_SHIPPING = {
  name: null,
  line1: null,
  line2: null,
  city: null,
  state: null,
  postal_code: null,
  country: null,
  tracking_number: null,
}

/** Fields of a resource that tell of a person. */
const ERASED_FIELDS: Readonly<Record<string, { readonly [field: string]: Erase }>> = {
  cardholder: {
    name: () => ERASED_NAME,
    first_name: gone,
    last_name: gone,
    email: gone,
    phone: gone,
    date_of_birth: gone,
    address: gone,
    kyc: (kyc) => ({ ...(kyc as object), reasons: [] }),
    frozen_reason: gone,
    ...TENANT_FIELDS,
  },
  card: {
    name_on_card: gone,
    shipping: (shipping) => ({ ...(shipping as object), ...ERASED_SHIPPING }),
    suspend_reason: reasonErased,
    terminate_reason: reasonErased,
    ...TENANT_FIELDS,
  },
  pass: {
    holder_name: gone,
    field_values: textsEmptied,
    values: textsEmptied,
    revoke_reason: reasonErased,
    ...TENANT_FIELDS,
  },
  dispute: TENANT_FIELDS,
  payment: { description: gone, ...TENANT_FIELDS },
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
    Object.entries(resource).map(([field, value]) => {
      const erase = fields[field]
      return [field, erase === undefined || value === null ? value : erase(value)]
    }),
  )
}
