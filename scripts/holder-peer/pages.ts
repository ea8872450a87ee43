// The hosted pages of payments as a holder's browser uses them: it reads the challenge, and sends
// the form that the passkey filled. Both repeat what a busy service answers.
import { PAGE_PATIENCE, repeatBusy } from '../repeat-busy.ts'
import type { Changes, Passkey } from './passkey.ts'

interface PageAnswer {
  status: number
  text: string
}

/** Enrols a passkey on the page behind an enrolment link. */
export async function enrolOn(
  url: string,
  passkey: Passkey,
  changes: Changes = {},
): Promise<PageAnswer> {
  const challenge = await challengeOn(url)
  return submit(url, passkey.register(challenge, changes))
}

/** Approves the payment of a confirmation link. */
export async function approveOn(url: string, passkey: Passkey): Promise<PageAnswer> {
  const challenge = await challengeOn(url)
  return submit(url, { ...passkey.assert(challenge), decision: 'approve' })
}

/** Denies the payment of a confirmation link. */
export function denyOn(url: string): Promise<PageAnswer> {
  return submit(url, { decision: 'deny' })
}

/** The challenge that a hosted page shows. */
export async function challengeOn(url: string): Promise<Buffer> {
  const { challenge = '' } = await optionsOn(url)
  return Buffer.from(challenge, 'base64url')
}

/** The id of the passkey that a hosted page asks for, base64url; empty where it asks for none. */
export async function credentialOn(url: string): Promise<string> {
  const { allowCredentials } = await optionsOn(url)
  return allowCredentials?.[0]?.id ?? ''
}

/** The options of the browser's call that the form of a page carries; empty without a form. */
async function optionsOn(
  url: string,
): Promise<{ challenge?: string; allowCredentials?: { id: string }[] }> {
  const answer = await repeatBusy(() => fetch(url), PAGE_PATIENCE)
  const page = await answer.text()
  const [, text = ''] = page.match(/data-(?:get|create)="([^"]*)"/) ?? []
  return text === '' ? {} : JSON.parse(text.replaceAll('&quot;', '"'))
}

/** Sends the form of a hosted page, from that page unless another site is named. */
export async function submit(
  url: string,
  fields: { readonly [name: string]: string },
  site = 'same-origin',
): Promise<PageAnswer> {
  const send = () =>
    fetch(url, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { 'sec-fetch-site': site },
      redirect: 'follow',
    })
  const response = await repeatBusy(send, PAGE_PATIENCE)
  return { status: response.status, text: await response.text() }
}
