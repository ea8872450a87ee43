// Checks a tenant's data about a cardholder: the country exists, the date of birth is that of an
// adult.
import { type EpochMs, isoInstant, parseInstant } from '../../../shared/clock.ts'
import { isCountry } from '../../../shared/countries.ts'
import type { Address } from '../../../shared/schemas/cardholder.ts'
import type { AddressInput, CardholderChange } from '../../../shared/schemas/cardholder-input.ts'
import { Refusal } from '../../http/refusal.ts'
import { changedTenantFields } from '../../write/tenant-fields.ts'
import type { Profile } from './store.ts'
import type { Details } from './view.ts'

/** Chosen: cardholders are adults, and none is older than the oldest people are. */
const AGE_YEARS_MIN = 18
const AGE_YEARS_MAX = 120

/** The profile of an unknown person. */
export const EMPTY_PROFILE: Profile = {
  name: '',
  status: 'active',
  details: {},
  tenantFields: { externalId: null, metadata: {} },
}

/** The profile after a change. Refuses (400) invalid data, and a person without a name. */
export function applyProfileChange(held: Profile, change: CardholderChange, now: EpochMs): Profile {
  const details = changedDetails(held.details, change, now)
  return {
    name: change.name ?? nameAfter(held, details),
    status: change.status ?? held.status,
    details,
    tenantFields: changedTenantFields(held.tenantFields, change),
  }
}

/** Chosen: a name follows its parts, unless the call gives another one. */
function nameAfter(held: Profile, { first_name: first, last_name: last }: Details): string {
  const { first_name: formerFirst, last_name: formerLast } = held.details
  const changed = first !== formerFirst || last !== formerLast
  if (changed && first !== undefined && last !== undefined) return first + ' ' + last
  if (held.name !== '') return held.name
  const missing = first !== undefined ? 'last_name' : last !== undefined ? 'first_name' : 'name'
  throw new Refusal('parameter_missing', { param: missing })
}

function changedDetails(held: Details, change: CardholderChange, now: EpochMs): Details {
  const { first_name, last_name, email, phone, date_of_birth, address } = change
  if (date_of_birth) requireAdult(date_of_birth, now)
  const said: { [Field in keyof Details]: Details[Field] | null | undefined } = {
    first_name,
    last_name,
    email,
    phone,
    date_of_birth,
    address: address ? wholeAddress(address) : address,
  }
  const told = Object.entries(said).filter(([, value]) => value !== undefined)
  const all = Object.entries({ ...held, ...Object.fromEntries(told) })
  return Object.fromEntries(all.filter(([, value]) => value !== null)) as Details
}

function wholeAddress({ line1, line2, city, state, postal_code, country }: AddressInput): Address {
  if (!isCountry(country)) {
    throw new Refusal('parameter_invalid', {
      param: '/address/country',
      message: 'This field must be a country of ISO 3166-1, in two letters.',
    })
  }
  return {
    line1,
    line2: line2 ?? null,
    city,
    state: state ?? null,
    postal_code: postal_code ?? null,
    country,
  }
}

function requireAdult(date: string, now: EpochMs): void {
  const midnight = parseInstant(date + 'T00:00:00Z')
  // The parser rolls 31 February over into March; a date that does not read back is not one.
  const exists = midnight !== null && isoInstant(midnight).startsWith(date)
  const today = isoInstant(now).slice(0, 10)
  if (exists && birthday(date, AGE_YEARS_MIN) <= today && today < birthday(date, AGE_YEARS_MAX))
    return
  throw new Refusal('parameter_invalid', {
    param: 'date_of_birth',
    message: 'This field must be the date of birth of an adult who may be alive, as YYYY-MM-DD.',
  })
}

/** As text that compares like dates do. */
function birthday(date: string, years: number): string {
  return String(Number(date.slice(0, 4)) + years).padStart(4, '0') + date.slice(4)
}
