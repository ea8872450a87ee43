// The hosted pages of payments as a holder's browser uses them: it reads the challenge, and sends
// the form that the passkey filled.
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

/** The challenge that a hosted page shows. */
export async function challengeOn(url: string): Promise<Buffer> {
  const page = await (await fetch(url)).text()
  const [, text = ''] = page.match(/data-(?:get|create)="([^"]*)"/) ?? []
  const options = text === '' ? {} : JSON.parse(text.replaceAll('&quot;', '"'))
  const challenge: string = options.challenge ?? ''
  return Buffer.from(challenge, 'base64url')
}

/** Sends the form of a hosted page, from that page unless another site is named. */
export async function submit(
  url: string,
  fields: { readonly [name: string]: string },
  site = 'same-origin',
): Promise<PageAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { 'sec-fetch-site': site },
    redirect: 'follow',
  })
  return { status: response.status, text: await response.text() }
}
