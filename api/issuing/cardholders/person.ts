// A cardholder as the provider needs them: an incomplete one cannot be verified.
import type { Person } from '../identity/provider.ts'
import type { Details } from './view.ts'

const NEEDED = ['first_name', 'last_name', 'date_of_birth', 'address'] as const

/** The first field missing for a verification; null if none is. */
export function missingOf(details: Details): (typeof NEEDED)[number] | null {
  return NEEDED.find((field) => details[field] === undefined) ?? null
}

/** Null if a field is missing. */
export function personOf(details: Details): Person | null {
  const { first_name, last_name, date_of_birth, address, email, phone } = details
  if (!first_name || !last_name || !date_of_birth || !address) return null
  return {
    first_name,
    last_name,
    date_of_birth,
    address,
    email: email ?? null,
    phone: phone ?? null,
  }
}
