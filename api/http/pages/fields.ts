// Fields of a form of ours, and the hidden ones that a passkey fills.
import type { FastifyRequest } from 'fastify'
import { type Html, html } from '../../../shared/html.ts'

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

/** Fields that the script fills with a passkey's answer, and our sealed ceremony. */
export function assertionFields(sealed: string): Html {
  return html`<input type="hidden" name="ceremony" value="${sealed}">
<input type="hidden" name="credential_id"><input type="hidden" name="authenticator_data">
<input type="hidden" name="client_data_json"><input type="hidden" name="signature">
<input type="hidden" name="user_handle">`
}
