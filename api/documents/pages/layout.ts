// The frame of every page of the reference: the page works offline, without scripts, and loads only
// its own style.
import { type Html, html, url } from '../../../shared/html.ts'

/**
 * The page may load only our own style, only the search sends a form, and no site may frame the
 * page.
 */
export const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

export const STYLE_PATH = '/docs/style.css'
export const CLIENT_PACKAGE_PATH = '/docs/svc-client.tgz'

export interface Page {
  path: string
  title: string
  body: Html
}

export interface Link {
  path: string
  title: string
}

export interface LinkGroup {
  title: string
  links: readonly Link[]
}

/** The parts that all pages of one tree share. */
export interface Frame {
  /** Where the tree begins: `/docs` or `/operator/docs`. */
  root: string
  brand: string
  version: string
  documentPath: string
  groups: readonly LinkGroup[]
}

/** The path of the page of a tag's operations, in the tree that begins at `root`. */
export function pathOfTag(tag: string, root = '/docs'): string {
  return root + '/' + tag.toLowerCase().replaceAll(' ', '-')
}

/** A whole page, with the way to every other one. `query` stays in the search field. */
export function pageText(frame: Frame, page: Page, query = ''): string {
  const menu = html`${frame.groups.map(({ title, links }) => linkList(title, links, page))}`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · svc API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${url(STYLE_PATH)}">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="bar">
<a class="brand" href="${url(frame.root)}">svc <span>${frame.brand}</span></a>
<span class="version">${frame.version}</span>
<form class="search" role="search" action="${url(frame.root + '/search')}">
<input type="search" name="q" value="${query}" maxlength="100" placeholder="Search" aria-label="Search operations, errors, events, reasons and guides">
</form>
<a class="raw" href="${url(frame.documentPath)}">openapi.json</a>
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

function linkList(title: string, links: readonly Link[], page: Page): Html {
  return html`<p class="menu-title">${title}</p><ul>${links.map((link) => menuItem(link, page))}</ul>`
}

function menuItem({ path, title }: Link, page: Page): Html {
  return path === page.path
    ? html`<li><a href="${url(path)}" aria-current="page">${title}</a></li>`
    : html`<li><a href="${url(path)}">${title}</a></li>`
}

/** Text with `code` in backticks. */
export function prose(text: string): Html {
  const parts = text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))
  return html`${parts}`
}

/** A table that scrolls by itself where the screen is narrow. */
export function table(heads: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="scroll" tabindex="0"><table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`
}

/**
 * The same, but a narrow screen shows each row as a block of its own. Every cell behind the first
 * names its column in `data-head`.
 */
export function stackedTable(heads: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="stacked">${table(heads, rows)}</div>`
}

/** A block of code that a reader may copy. */
export function code(text: string): Html {
  return html`<pre tabindex="0"><code>${text}</code></pre>`
}
