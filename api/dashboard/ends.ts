// Pages without a frame: unknown addresses, foreign forms, and faults.
import { html, url } from '../../shared/html.ts'
import type { Assets } from './assets.ts'

const ENDS = {
  missing: [404, 'Nothing here', 'No page of yours is at this address.'],
  foreign: [403, 'Not from this page', 'Another site sent this form. Nothing was done.'],
  busy: [429, 'Too many calls', 'Wait a minute, then load the page again.'],
  unreadable: [400, 'Not understood', 'This is not a form of this page. Nothing was done.'],
  broken: [500, 'Something went wrong', 'Load the page again in a moment.'],
  away: [503, 'Not available', 'The database does not answer. Load the page again in a moment.'],
} as const

export type End = keyof typeof ENDS

/** The end that a status of an error leads to. */
export function endOf(status: number): End {
  if (status === 429) return 'busy'
  if (status === 503) return 'away'
  if (status >= 500) return 'broken'
  return status === 404 ? 'missing' : 'unreadable'
}

/**
 * Status and text of a page that ends the visit; equal for every address. A fault names the
 * request that stands in the log.
 */
export function endPage(
  end: End,
  { assets, requestId }: { assets: Assets; requestId: string },
): { status: number; text: string } {
  const [status, title, sentence] = ENDS[end]
  const request = status < 500 ? null : html`<p class="soft">Request <code>${requestId}</code></p>`
  const { text } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="${url(assets.address('dashboard.css'))}"></head>
<body class="end"><main id="content"><h1>${title}</h1><p>${sentence}</p>${request}<p><a href="/d">To the overview</a></p></main></body></html>
`
  return { status, text }
}
