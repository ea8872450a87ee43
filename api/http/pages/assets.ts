// Style sheet and script of the pages for people, under addresses that change with their text:
// browsers may keep them for ever. No page has either of them inside.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { type Html, html, url } from '../../../shared/html.ts'
import { STYLE } from './style.ts'

const OWN = "'self'"
const HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': "default-src 'none'",
  'X-Content-Type-Options': 'nosniff',
}

interface Asset {
  address: string
  type: string
  text: string
}

function assetOf(name: string, type: string, text: string): Asset {
  const digest = hash('sha256', text, 'base64url').slice(0, 16)
  return { address: '/assets/' + digest + '/' + name, type, text }
}

const LOOK = assetOf('page.css', 'text/css; charset=utf-8', STYLE)
const PASSKEY = assetOf(
  'passkey.js',
  'text/javascript; charset=utf-8',
  readFileSync(new URL('./passkey.js', import.meta.url), 'utf8'),
)

/** A style sheet or script of a page, and its name in the policy. */
export interface Sheet {
  tag: Html
  source: string
}

/** The plain look. */
export const LOOK_SHEET: Sheet = {
  tag: html`<link rel="stylesheet" href="${url(LOOK.address)}">`,
  source: OWN,
}

/** The script of pages with a passkey. */
export const PASSKEY_SCRIPT: Sheet = {
  tag: html`<script type="module" src="${url(PASSKEY.address)}"></script>`,
  source: OWN,
}

export function registerPageAssets(server: FastifyInstance): void {
  for (const { address, type, text } of [LOOK, PASSKEY])
    server.get(address, async (_request, reply) => reply.headers(HEADERS).type(type).send(text))
}
