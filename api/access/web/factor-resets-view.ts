// The pages of a factor reset that waits.
import type { EpochMs } from '../../../shared/clock.ts'
import { html, url } from '../../../shared/html.ts'
import { moment } from '../../http/pages/moment.ts'
import type { Page } from '../../http/pages/page.ts'

/** A button: mail programs open links too. */
export function cancelResetPage(
  token: string,
  reset: { tenant: string; person: string; worksAt: EpochMs },
): Page {
  const content = html`
<header><span>svc</span></header>
<h1>Cancel the factor reset?</h1>
<p class="operation">An operator gives an owner another second factor. Cancel it if nobody of you asked for it.</p>
<dl class="facts">
<div><dt>Tenant</dt><dd>${reset.tenant}</dd></div>
<div><dt>Owner</dt><dd>${reset.person}</dd></div>
<div><dt>Works from</dt><dd>${moment(reset.worksAt)}</dd></div>
</dl>
<form method="post" action="${url('/factor_resets/' + token)}"><div class="actions one">
<button class="primary">Cancel the reset</button></div></form>`
  return { status: 200, title: 'Cancel the factor reset?', content }
}

export function resetCancelledPage(): Page {
  const content = html`<div class="mark good" aria-hidden="true">✓</div>
<h1>The reset is cancelled</h1>
<p class="operation">Passkeys, authenticator and recovery codes stay as they were. Tell the operator who it was that asked.</p>
<p class="note"><a href="/account">Your account</a></p>`
  return { status: 200, title: 'The reset is cancelled', content }
}
