// Hidden fields of a form that a passkey fills.
import { type Html, html } from '../../../shared/html.ts'

/** Fields that the script fills with a passkey's answer, and our sealed ceremony. */
export function assertionFields(sealed: string): Html {
  return html`<input type="hidden" name="ceremony" value="${sealed}">
<input type="hidden" name="credential_id"><input type="hidden" name="authenticator_data">
<input type="hidden" name="client_data_json"><input type="hidden" name="signature">
<input type="hidden" name="user_handle">`
}
