// A secret that is shown once. The page removes it when it is left.
import { type Html, html } from '../../../shared/html.ts'

/** The secret with a button that copies it, or the sentence that it was shown before. */
export function secretOnce(secret: string | undefined, isRepeat: boolean): Html {
  if (isRepeat || secret === undefined)
    return html`<p class="notice warn" role="status">The secret was shown before, and is shown only once. If it was lost, make another key and revoke this one.</p>`
  return html`<div class="secret" data-secret><p>Copy the secret now: this page shows it this once, and removes it when you leave.</p>
<code class="value">${secret}</code> <button type="button" data-copy hidden>Copy</button></div>`
}
