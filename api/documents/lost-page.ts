// The page for a browser at an address where nothing is: it leads to the reference. Programs keep
// the JSON error.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { html, url } from '../../shared/html.ts'
import { PAGE_HEADERS, STYLE_PATH } from './pages/layout.ts'

/** Whether a browser asks for a page that a person wants to see. */
export function isBrowser({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html')
}

/** `GET /` leads to the reference; every other unknown address gets a page that links it. */
export function answerLostBrowser(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? ''
  if (path === '/') return reply.code(302).header('Location', '/docs').send()
  const words = path
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '' && word !== 'v1' && word !== 'docs')
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>No such page · svc API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${url(STYLE_PATH)}">
</head>
<body>
<header class="bar"><a class="brand" href="/docs">svc <span>API reference</span></a></header>
<main id="content"><h1>No such page</h1>
<p class="lead">Nothing is at <code>${path.slice(0, 200)}</code>. The <a href="/docs">reference</a> lists every operation, and its search knows errors, events and reasons too.</p>
<form class="search" role="search" action="/docs/search"><input type="search" name="q" value="${words.join(' ').slice(0, 100)}" maxlength="100" aria-label="Search the reference"></form>
</main>
</body>
</html>
`.text
  return reply.code(404).headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(text)
}
