// Commands that pages show, sent as calls of the API: a command that the API does not take helps
// nobody.
import type { Answer, TestApi } from './api.ts'

interface Command {
  method: string
  /** The path with its query. */
  path: string
  body: object | null
}

/** Reads a command; throws for a text that is none. */
export function commandIn(text: string): Command {
  const found = /^curl (?:-X (\w+) )?'(https?:\/\/[^']+)'/.exec(text)
  if (found === null) throw new Error('no command: ' + text)
  const [, method = 'GET', address = ''] = found
  const { pathname, search } = new URL(address)
  const [, sent] = /-d '([\s\S]*)'$/.exec(text) ?? []
  const body = sent === undefined ? null : JSON.parse(sent.replaceAll("'\\''", "'"))
  return { method, path: pathname + search, body }
}

/** Sends the command of a page with a key of the tenant. */
export function sendCommand(
  api: Pick<TestApi, 'call'>,
  text: string,
  key: string,
): Promise<Answer> {
  const { method, path, body } = commandIn(text)
  return api.call(method, path, { key, ...(body === null ? {} : { body }) })
}

/**
 * The reason why the API did not take the command; null where it did. Ids that end in … stand for
 * those of the reader, a guarded call asks for a factor, a test has no card network, and its tenant
 * not every feature.
 */
export function refusalOf(text: string, { status, body }: Answer): string | null {
  if (status < 300) return null
  const { code, param } = body.error as { code: string; param: string | null }
  if (['factor_required', 'dependency_unavailable', 'feature_not_enabled'].includes(code))
    return null
  const { path, body: sent } = commandIn(text)
  const named: unknown = String(param ?? '')
    .split(/[./]/)
    .reduce<unknown>((of, name) => (of as { [name: string]: unknown } | null)?.[name] ?? of, sent)
  const isPlaceholder = path.includes('%E2%80%A6') || JSON.stringify(named).includes('…')
  return isPlaceholder ? null : status + ' ' + JSON.stringify(body.error)
}
