// The common parts of all pages: the frame around the content, and headers by which a page loads
// only its declared sources, and no site can frame it.
import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { Html, html } from '../../../shared/html.ts'
import { LOOK_SHEET, type Sheet } from './assets.ts'

/** A style sheet inside a page. `style` is our own text: it is not escaped. */
export function sheetOf(style: string): Sheet {
  return {
    tag: new Html('<style>' + style + '</style>'),
    source: "'sha256-" + hash('sha256', style, 'base64') + "'",
  }
}

/** Sources that a page may load and targets of its forms. */
export interface Allowance {
  sheets: readonly Sheet[]
  /** Sources of the policy: `data:`, `'self'`. */
  images: string
  /** Null: anywhere, for a form whose answer leads on to another site. */
  forms: "'self'" | "'none'" | null
  /** Absent: the page runs no script. */
  scripts?: readonly Sheet[]
}

/** The policy as a page itself can state it; a header states the rest. */
export function policyOf({ sheets, images, forms, scripts = [] }: Allowance): string {
  const styles = sheets.map(({ source }) => source).join(' ')
  const runs = scripts.map(({ source }) => source).join(' ')
  return (
    "default-src 'none'; style-src " +
    styles +
    (runs === '' ? '' : '; script-src ' + runs) +
    '; img-src ' +
    images +
    (forms === null ? '' : '; form-action ' + forms) +
    "; base-uri 'none'"
  )
}

/**
 * `Referrer-Policy: no-referrer` would also remove the Origin from our own forms, which we check.
 */
export function pageHeaders(allowance: Allowance): { readonly [name: string]: string } {
  return {
    'Content-Type': HTML_TYPE,
    'Content-Security-Policy': policyOf(allowance) + HEADER_POLICY,
    'Cache-Control': 'no-store',
    'Referrer-Policy': allowance.forms === "'none'" ? 'no-referrer' : 'same-origin',
    'X-Robots-Tag': 'noindex, nofollow',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  }
}

/** A script that wrote markup into a page would need a policy, and there is none. */
const HEADER_POLICY =
  "; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
const HTML_TYPE = 'text/html; charset=utf-8'

/** Language of our own texts on the page. */
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
  /** A policy for a page shown without its headers; null: the headers state it. */
  policy: string | null
  /** They run when the page is read whole. */
  scripts?: readonly Sheet[]
}

/** A whole page. */
export function pageText(page: Framed): string {
  const { title, content, sheets, policy, language, direction, scripts = [] } = page
  return html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
${policy === null ? null : html`<meta http-equiv="Content-Security-Policy" content="${policy}">\n`}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
${sheets.map(({ tag }) => tag)}${scripts.map(({ tag }) => tag)}
</head>
<body>
<main>${content}</main>
</body>
</html>
`.text
}

/** In English by default. */
export interface Page extends Partial<PageLanguage> {
  status: number
  title: string
  content: Html
  scripts?: readonly Sheet[]
  /** Targets of its forms; ourselves by default. */
  forms?: Allowance['forms']
}

const SHEETS = [LOOK_SHEET]
const HEADERS = pageHeaders({ sheets: SHEETS, images: 'data:', forms: "'self'" })

/** Sends a page in the plain look, with an optional form and script. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const text = pageText({ ...ENGLISH, ...page, sheets: SHEETS, policy: null })
  const { scripts = [], forms = "'self'" } = page
  const isPlain = scripts.length === 0 && forms === "'self'"
  const allowance = { sheets: SHEETS, images: 'data:', forms, scripts }
  const headers = isPlain ? HEADERS : pageHeaders(allowance)
  return reply.code(page.status).headers(headers).send(text)
}
