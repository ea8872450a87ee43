// The frame around the pages of operators: another menu than a tenant's, no environment, one badge.
import { type Html, html, url } from '../../../shared/html.ts'
import type { Assets } from '../assets.ts'
import { curlText } from '../curl.ts'
import { code } from '../parts/code.ts'
import { lookForm } from '../parts/look-form.ts'
import { notice } from '../parts/panel.ts'
import type { DeskPage, DeskShown } from './desk.ts'

export interface DeskFrame {
  shown: DeskShown
  /** The page of the address; null for answers of forms. */
  current: DeskPage | null
  pages: readonly DeskPage[]
  operator: { name: string; email: string }
  made: readonly string[]
  apiUrl: string
  /** A sentence about what was done; null without one. */
  done: string | null
  theme: string
  assets: Assets
}

/** A whole page for an operator. */
export function deskPage(frame: DeskFrame): string {
  const { shown, assets, operator, theme } = frame
  const scripts = ['dashboard.js', ...(shown.scripts ?? [])]
  return html`<!doctype html>
<html lang="en" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${shown.title} · operators</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${url(assets.address('dashboard.css'))}">
${scripts.map((name) => html`<script type="module" src="${url(assets.address(name))}"></script>\n`)}</head>
<body class="operator">
<a class="skip" href="#content">Skip to the content</a>
<header class="top"><details class="mobile"><summary aria-label="Menu">☰</summary><nav aria-label="Pages, small screen">${menu(frame)}</nav></details>
<a class="brand" href="/operator">svc</a> <span class="badge">operators</span>
<details class="switch you"><summary aria-label="${operator.name}"><span class="name">${operator.name}</span><span class="initial" aria-hidden="true">${[...operator.name][0] ?? '?'}</span></summary><div class="sheet"><p class="soft">${operator.email}</p>
<ul><li><a href="/d">Your tenants</a></li><li><a href="/account">Your sign-in</a></li><li><a href="/operator/docs">API of operators</a></li></ul>
${lookForm({ action: '/operator/theme', theme, hasKeys: null })}
<form method="post" action="/sign-out"><button>Sign out</button></form></div></details></header>
<div class="shell"><nav class="side" aria-label="Pages">${menu(frame)}</nav>
<main id="content" tabindex="-1">${frame.done === null ? null : notice('good', frame.done)}
${shown.content}
${callsOf(frame)}</main></div>
</body></html>
`.text
}

function menu({ pages, current }: DeskFrame): Html {
  const links = pages.flatMap(({ path, menu: label }) => {
    if (label === undefined) return []
    const isCurrent =
      current !== null &&
      (path === '/operator' ? current.path === path : (current.path + '/').startsWith(path + '/'))
    return isCurrent
      ? html`<li><a href="${url(path)}" aria-current="page">${label}</a></li>`
      : html`<li><a href="${url(path)}">${label}</a></li>`
  })
  return html`<ul>${links}</ul>`
}

function callsOf({ made, apiUrl }: DeskFrame): Html | null {
  if (made.length === 0) return null
  const credential = 'SVC_OPERATOR_KEY'
  return html`<details class="api"><summary>API calls of this page</summary><p class="soft">This page made these calls. Set <code>${credential}</code> to the credential of an operator.</p>${made.map(
    (path) =>
      code(
        curlText({ method: 'GET', address: apiUrl + path, body: null, credential }),
        'Call ' + path,
      ),
  )}</details>`
}
