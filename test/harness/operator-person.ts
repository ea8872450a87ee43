// An operator who works on pages: a person with a passkey.
import type { Passkey } from '../../scripts/holder-peer/passkey.ts'
import type { TestApi } from './api.ts'
import type { Installation } from './installation.ts'
import { addPasskey, ceremonyOn } from './member-passkeys.ts'
import { seedPerson } from './person.ts'
import { cookieOf, enter, visit } from './visit.ts'

/** A person who is this operator, else the newest one, signed in with a passkey. */
export async function openOperator(api: Installation, id?: string) {
  await api.sql`delete from sign_in_tries`
  const person = await seedPerson(api.sql, api.other.tenantId, 'analyst')
  const { passkey } = await addPasskey(api, person, await enter(api, person))
  const operatorId = id ?? (await api.operate('GET', '/operators')).body.data[0].id
  // An administrator of the database names the persons of operators, as the call does for the
  // first.
  await api.sql`update operators set identity_id = ${person.identityId} where id = ${operatorId}`
  return { person, passkey, operatorId, cookie: await enterBy(api, passkey) }
}

/** Signs in with a passkey; returns the cookie. */
export async function enterBy(api: TestApi, passkey: Passkey): Promise<string> {
  await api.sql`delete from sign_in_tries`
  const { challenge, ceremony } = await ceremonyOn(await visit(api, '/sign-in'))
  const form = { ...passkey.assert(challenge), ceremony }
  return cookieOf(await visit(api, '/sign-in/passkey', { form }))
}
