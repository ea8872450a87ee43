// The frame around every page: menu, tenant and environment, search, theme.
import { type Html, html, url } from '../../shared/html.ts'
import type { Environment } from '../../shared/wire/config-records.ts'
import type { Assets } from './assets.ts'
import { curlOf } from './curl.ts'
import {
  type Call,
  isIn,
  type MenuGroup,
  type PageDefinition,
  type Shown,
  type Visit,
} from './page.ts'
import { code } from './parts/code.ts'
import { lookForm } from './parts/look-form.ts'

export type Theme = 'system' | 'light' | 'dark'

export interface Framed {
  visit: Visit
  shown: Shown
  /** The page of the address; null for errors and searches. */
  current: PageDefinition | null
  pages: readonly PageDefinition[]
  environments: readonly Environment[]
  theme: Theme
  /** Calls that the page made. */
  calls: readonly Call[]
  /** A sentence about what was done; null without one. */
  done: string | null
  assets: Assets
  /** Keys of the keyboard work. */
  hasKeys: boolean
}

/** A whole page for a signed-in person. */
export function framedPage(framed: Framed): string {
  const { visit, shown, assets, theme, hasKeys } = framed
  const { environment, member } = visit
  const scripts = ['dashboard.js', ...(hasKeys ? ['keys.js'] : []), ...(shown.scripts ?? [])]
  return html`<!doctype html>
<html lang="en" data-theme="${theme}" data-root="${visit.to('')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${shown.title} · ${member.tenantName} ${environment}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${url(assets.address('dashboard.css'))}">
${scripts.map((name) => html`<script type="module" src="${url(assets.address(name))}"></script>\n`)}</head>
<body class="${environment}">
<a class="skip" href="#content">Skip to the content</a>
${environment === 'live' ? html`<aside class="livebar" aria-label="Environment"><strong>LIVE</strong> Real money moves here.</aside>` : null}
${topBar(framed)}
<div class="shell">
<nav class="side" aria-label="Pages">${menu(framed, false)}</nav>
<main id="content" tabindex="-1">
${framed.done === null ? null : html`<p class="notice good" role="status">${framed.done}</p>`}
${shown.content}
${apiOf(framed)}
</main>
</div>
${hasKeys ? KEYS : null}
</body>
</html>
`.text
}

function topBar({ visit, pages, ...framed }: Framed): Html {
  const { member, environment, visitor } = visit
  return html`<header class="top">
<details class="mobile"><summary aria-label="Menu">☰</summary><nav aria-label="Pages, small screen">${menu({ visit, pages, ...framed }, true)}</nav></details>
<details class="switch"><summary><span class="tenant">${member.tenantName}</span> <span class="badge ${environment}">${environment}</span></summary>
<div class="sheet">${visitor.memberships.map(
    ({ tenantId, tenantName }) =>
      html`<p class="soft">${tenantName}</p><ul>${framed.environments.map((each) => {
        const isHere = tenantId === member.tenantId && each === environment
        const href = '/d/' + tenantId + '/' + each + '/overview'
        return html`<li>${isHere ? html`<strong>${each} ✓</strong>` : html`<a href="${url(href)}">${each}</a>`}</li>`
      })}</ul>`,
  )}</div></details>
<form class="search" role="search" action="${url(visit.to('/search'))}"><input type="search" name="q" maxlength="100" aria-label="Search by id, last four, email, external id or merchant" placeholder="Search: id, last four, email …"></form>
<details class="switch you"><summary aria-label="${visitor.identity.name}"><span class="name">${visitor.identity.name}</span><span class="initial" aria-hidden="true">${[...visitor.identity.name][0] ?? '?'}</span></summary><div class="sheet">
<p class="soft">${visitor.identity.email}, ${member.role}</p>
<ul><li><a href="/account">Your sign-in</a></li><li><a href="/docs">API reference</a></li></ul>
${lookForm({ action: visit.to('/theme'), theme: framed.theme, hasKeys: framed.hasKeys })}
<form method="post" action="/sign-out"><button>Sign out</button></form></div></details>
</header>`
}

const GROUPS: readonly MenuGroup[] = ['Now', 'Issuing', 'Passes', 'Money', 'Developers', 'Settings']

/**
 * A page whose first operation the API refuses to the visitor's role is left out. Groups are closed
 * but the first and the one of the page, so that a small screen shows them all.
 */
function menu(
  { pages, visit, current }: Pick<Framed, 'pages' | 'visit' | 'current'>,
  isWhole: boolean,
): Html {
  return html`${GROUPS.map((group) => {
    const shown = pages.filter((one) => {
      const [first] = one.operations
      const isMine = first === undefined || visit.may(first)
      return one.menu?.group === group && isMine && isIn(one, visit)
    })
    if (shown.length === 0) return null
    const isCurrent = (path: string): boolean =>
      current !== null && (current.path + '/').startsWith(path + '/')
    const links = html`<ul>${shown.map(({ path, menu: place }) => {
      const href = visit.to(path)
      return isCurrent(path)
        ? html`<li><a href="${url(href)}" aria-current="page">${place?.label ?? ''}</a></li>`
        : html`<li><a href="${url(href)}">${place?.label ?? ''}</a></li>`
    })}</ul>`
    const isOpen = isWhole || group === 'Now' || shown.some(({ path }) => isCurrent(path))
    return isOpen
      ? html`<details open><summary>${group}</summary>${links}</details>`
      : html`<details><summary>${group}</summary>${links}</details>`
  })}`
}

function apiOf({ calls, visit }: Framed): Html | null {
  if (calls.length === 0) return null
  return html`<details class="api"><summary>API calls of this page</summary><p class="soft">This page made these calls. Set <code>SVC_KEY</code> to a key of this environment.</p>${calls.map(
    (call) => code(curlOf(visit.apiUrl, call), 'Call ' + call.operation),
  )}</details>`
}

const KEYS = html`<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keyboard</h2><dl class="facts">${[
  ['/ or Ctrl K', 'Search'],
  ['g o', 'Overview'],
  ['g l', 'Live'],
  ['g t', 'Transactions'],
  ['g c', 'Cards'],
  ['g d', 'Disputes'],
  ['g w', 'Webhooks'],
  ['g k', 'API keys'],
  ['j, k, Enter', 'Next row, row before, open'],
  ['e', 'Explain the first decline'],
  ['r', 'Reload'],
  ['p', 'Pause the live page'],
  ['u', 'UTC or local time'],
  ['?', 'This list'],
].map(
  ([keys, effect]) => html`<div><dt><kbd>${keys ?? ''}</kbd></dt><dd>${effect ?? ''}</dd></div>`,
)}</dl><p class="soft">Your name, top right, switches the keys off.</p><form method="dialog"><button class="plain">Close</button></form></dialog>`
