// The fields of an assertion as calls send them.
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

const Base64Url = Type.String({ minLength: 1, maxLength: 8192, pattern: '^[A-Za-z0-9_-]+$' })

export const ASSERTION_INPUT = {
  credential_id: described(Base64Url, 'The id of the passkey that signed, base64url.'),
  authenticator_data: described(Base64Url, 'The authenticator’s data, base64url.'),
  client_data_json: described(Base64Url, 'The browser’s client data, base64url.'),
  signature: described(Base64Url, 'The signature in DER, base64url.'),
}
