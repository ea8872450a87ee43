// What all pages have in common: the frame around the content, and headers that let a page load nothing and be framed by nobody.
import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { Html, html } from './html.ts'
import { STYLE } from './style.ts'

const STYLE_TAG = new Html('<style>' + STYLE + '</style>')

/** `Referrer-Policy: no-referrer` would also take the Origin from our own forms, which we check. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'sha256-" +
    hash('sha256', STYLE, 'base64') +
    "'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
}

export interface Page {
  status: number
  title: string
  content: Html
}

export function sendPage(reply: FastifyReply, { status, title, content }: Page): FastifyReply {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
${STYLE_TAG}
</head>
<body>
<main>${content}</main>
</body>
</html>
`
  return reply.code(status).headers(HEADERS).send(page.text)
}
