// The frame of every page of the reference: works offline, without scripts, and loads nothing but its own style.
import { type Html, html } from '../../pages/html.ts'
import type { OpenApiDocument } from '../openapi.ts'

/** Nothing but our own style may be loaded, and nobody may put the page into a frame. */
export const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

export const STYLE_PATH = '/docs/style.css'

export interface Page {
  path: string
  title: string
  body: Html
}

interface Link {
  path: string
  title: string
}

/** Where the operations of a tag are explained. */
export function pathOfTag(tag: string): string {
  return '/docs/' + tag.toLowerCase().replace(': ', '-').replaceAll(' ', '-')
}

const GUIDES: readonly Link[] = [
  { path: '/docs', title: 'Overview' },
  { path: '/docs/webhooks', title: 'Webhooks and events' },
  { path: '/docs/errors', title: 'Errors' },
  { path: '/docs/iso8583', title: 'ISO 8583' },
]

/** A whole page, with the way to every other one. */
export function pageText(document: OpenApiDocument, page: Page): string {
  const resources = document.tags
    .filter(({ name }) => name !== 'Webhooks')
    .map(({ name }) => ({ path: pathOfTag(name), title: name }))
  const own = resources.filter(({ title }) => !title.startsWith('Operator: '))
  const operators = resources.filter(({ title }) => title.startsWith('Operator: '))
  const menu = html`${links('Guides', GUIDES, page)}${links('Resources', own, page)}${
    operators.length === 0 ? null : links('Operators', operators, page)
  }`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · svc API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="bar">
<a class="brand" href="/docs">svc <span>API reference</span></a>
<span class="version">${document.info.version}</span>
<a class="raw" href="/openapi.json">openapi.json</a>
</header>
<details class="menu-small"><summary>Contents</summary><nav aria-label="Contents">${menu}</nav></details>
<div class="frame">
<nav class="menu" aria-label="Reference">${menu}</nav>
<main id="content">${page.body}</main>
</div>
</body>
</html>
`.text
}

function links(title: string, of: readonly Link[], page: Page): Html {
  return html`<p class="menu-title">${title}</p><ul>${of.map((link) => menuItem(link, page))}</ul>`
}

function menuItem(link: Link, page: Page): Html {
  const shown = link.title.replace('Operator: ', '')
  return link.path === page.path
    ? html`<li><a href="${link.path}" aria-current="page">${shown}</a></li>`
    : html`<li><a href="${link.path}">${shown}</a></li>`
}

/** Text with `code` in backticks. */
export function prose(text: string): Html {
  const parts = text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))
  return html`${parts}`
}
