// What all pages have in common: the frame around the content, and headers that let a page load nothing but what it says, and be
// framed by nobody.
import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { Html, html } from './html.ts'
import { STYLE } from './style.ts'

/** A style sheet that stands in a page, and how the policy names it. */
export interface Sheet {
  tag: Html
  source: string
}

/** `style` is ours: nothing of it is escaped. */
export function sheetOf(style: string): Sheet {
  return {
    tag: new Html('<style>' + style + '</style>'),
    source: "'sha256-" + hash('sha256', style, 'base64') + "'",
  }
}

/** What a page may load and where its forms may lead. */
export interface Allowance {
  sheets: readonly Sheet[]
  /** Sources of the policy: `data:`, `'self'`. */
  images: string
  forms: "'self'" | "'none'"
}

/** As a page itself can say it; a header says the rest. */
export function policyOf({ sheets, images, forms }: Allowance): string {
  const styles = sheets.map(({ source }) => source).join(' ')
  return (
    "default-src 'none'; style-src " +
    styles +
    '; img-src ' +
    images +
    '; form-action ' +
    forms +
    "; base-uri 'none'"
  )
}

/** `Referrer-Policy: no-referrer` would also take the Origin from our own forms, which we check. */
export function pageHeaders(allowance: Allowance): { readonly [name: string]: string } {
  return {
    'Content-Type': HTML_TYPE,
    'Content-Security-Policy': policyOf(allowance) + "; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
    'Referrer-Policy': allowance.forms === "'self'" ? 'same-origin' : 'no-referrer',
    'X-Robots-Tag': 'noindex, nofollow',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  }
}

const HTML_TYPE = 'text/html; charset=utf-8'

/** Of what is ours on it. */
export interface PageLanguage {
  /** BCP 47. */
  language: string
  direction: 'ltr' | 'rtl' | 'auto'
}

const ENGLISH: PageLanguage = { language: 'en', direction: 'ltr' }

export interface Framed extends PageLanguage {
  title: string
  content: Html
  sheets: readonly Sheet[]
  /** A policy for where the page is shown without its headers; null: they say it. */
  policy: string | null
}

/** A whole page. */
export function pageText(page: Framed): string {
  const { title, content, sheets, policy, language, direction } = page
  return html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
${policy === null ? null : html`<meta http-equiv="Content-Security-Policy" content="${policy}">\n`}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
${sheets.map(({ tag }) => tag)}
</head>
<body>
<main>${content}</main>
</body>
</html>
`.text
}

/** In English unless it says otherwise. */
export interface Page extends Partial<PageLanguage> {
  status: number
  title: string
  content: Html
}

const SHEETS = [sheetOf(STYLE)]
const HEADERS = pageHeaders({ sheets: SHEETS, images: 'data:', forms: "'self'" })

/** A page in the plain look, with which a person may send a form. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const text = pageText({ ...ENGLISH, ...page, sheets: SHEETS, policy: null })
  return reply.code(page.status).headers(HEADERS).send(text)
}
