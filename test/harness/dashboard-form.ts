// Forms of the dashboard without a browser: the form, then the page that asks for the person's
// second factor, and the answer after it.
import type { Passkey } from '../../scripts/holder-peer/passkey.ts'
import { randomSecret } from '../../shared/id.ts'
import type { TestApi } from './api.ts'
import { ceremonyOn } from './member-passkeys.ts'
import type { Person } from './person.ts'
import { visit } from './visit.ts'

interface Fields {
  [name: string]: string
}

export interface Asked {
  status: number
  text: string
  /** The form with the ceremony and the handle of the page. */
  form: Fields
  challenge: Buffer
}

/** Sends the form, and returns the page that asks for the second factor. */
export async function askOn(
  api: Pick<TestApi, 'url'>,
  path: string,
  { cookie, form }: { cookie: string; form: Fields },
): Promise<Asked> {
  const own = { form_id: randomSecret(18), ...form }
  const answer = await visit(api, path, { cookie, form: own })
  const { status } = answer
  const { text, ceremony, challenge } = await ceremonyOn(answer)
  const [, factor_handle = ''] = text.match(/name="factor_handle" value="([^"]*)"/) ?? []
  return { status, text, form: { ...own, factor_handle, ceremony }, challenge }
}

/** Sends the form and proves it with a code, or with a passkey; returns the last answer. */
export async function sendConfirmed(
  api: Pick<TestApi, 'url' | 'sql' | 'clock'>,
  path: string,
  { cookie, form = {}, by }: { cookie: string; form?: Fields; by: Person | Passkey },
): Promise<Response> {
  const asked = await askOn(api, path, { cookie, form })
  if (asked.form['factor_handle'] === '')
    return new Response(asked.text, { status: asked.status === 303 ? 500 : asked.status })
  const isPerson = 'codeAt' in by
  const proof = isPerson ? { code: by.codeAt(api.clock.nowMs) } : by.assert(asked.challenge)
  await api.sql`delete from sign_in_tries`
  const answer = await visit(api, path, { cookie, form: { ...asked.form, ...proof } })
  if (isPerson) api.clock.nowMs += 30_000
  return answer
}
