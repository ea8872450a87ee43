// Style sheet and browser modules, under an address that changes with any of them: browsers may
// keep them for ever.
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

const CSS = 'text/css; charset=utf-8'
const JS = 'text/javascript; charset=utf-8'
const FOLDER = new URL('browser/', import.meta.url)

export interface Assets {
  /** The address of a file of the dashboard. */
  address(name: string): string
  register(server: FastifyInstance): void
}

/** Reads all files once, at start. `more` are texts of other folders, by name. */
export function readAssets(more: { readonly [name: string]: string }): Assets {
  const files = new Map<string, string>([
    ['dashboard.css', text('../../shared/tokens.css') + text('style.css')],
    ...readdirSync(FOLDER)
      .filter((name) => name.endsWith('.js'))
      .map((name): [string, string] => [name, readFileSync(new URL(name, FOLDER), 'utf8')]),
    ...Object.entries(more),
  ])
  const digest = hash('sha256', [...files].flat().join('\0'), 'base64url').slice(0, 16)
  return {
    address: (name) => '/assets/' + digest + '/' + name,
    register: (server) => {
      for (const [name, body] of files)
        server.get('/assets/' + digest + '/' + name, async (_request, reply) =>
          reply
            .headers({
              'Cache-Control': 'public, max-age=31536000, immutable',
              'Content-Security-Policy': "default-src 'none'",
            })
            .type(name.endsWith('.css') ? CSS : JS)
            .send(body),
        )
    },
  }
}

function text(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}
