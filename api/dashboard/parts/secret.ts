// A secret that is shown once. The page removes it when it is left.
import { type Html, html } from '../../../shared/html.ts'

/** The secret with a button that copies it, or the sentence that it was shown before. */
export function secretOnce(secret: string | undefined, isRepeat: boolean): Html {
  if (isRepeat || secret === undefined)
    return html`<p class="notice warn" role="status">The secret was shown before, and is shown only once. If it was lost, make another key and revoke this one.</p>`
  return html`<div class="secret" data-secret><p>Copy the secret now: this page shows it this once, and removes it when you leave.</p>
<code class="value">${secret}</code> <button type="button" data-copy hidden>Copy</button></div>`
}

/** A one-time link: on its way by mail, or shown this once where no mail is sent. */
export function linkOnce({ url: link }: { url: string | null }, isRepeat: boolean): Html {
  if (link === null)
    return html`<p class="notice good" role="status">The link is on its way by mail.</p>`
  if (isRepeat)
    return html`<p class="notice warn" role="status">The link was shown before, and is shown only once. If it was lost, send another.</p>`
  return html`<div class="secret" data-secret><p>Give this link to the person: this page shows it this once, and removes it when you leave.</p>
<code class="value">${link}</code> <button type="button" data-copy hidden>Copy</button></div>`
}
