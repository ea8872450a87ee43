// Fields of a form of ours.
import type { FastifyRequest } from 'fastify'

const FIELD_CHARACTERS_MAX = 256
/** Longer than any answer of a passkey, and any form that we sealed for one. */
const LONG_FIELD_CHARACTERS_MAX = 8192

/** A field of the form as text; empty if it is absent, cut where no valid value is longer. */
export function fieldOf({ body }: FastifyRequest, name: string): string {
  const form = body instanceof URLSearchParams ? body : new URLSearchParams()
  return (form.get(name) ?? '').slice(0, FIELD_CHARACTERS_MAX).replaceAll('\0', '')
}

/** A field that a passkey or we ourselves filled; empty if it is absent or longer than any. */
export function longFieldOf({ body }: FastifyRequest, name: string): string {
  const form = body instanceof URLSearchParams ? body : new URLSearchParams()
  const text = form.get(name) ?? ''
  return text.length > LONG_FIELD_CHARACTERS_MAX ? '' : text
}
