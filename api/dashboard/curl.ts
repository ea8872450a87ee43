// The calls behind a page as commands for a terminal. The key is a variable of the shell.
import { OPERATIONS } from '../../client/generated.ts'
import type { Call } from './page.ts'

/** One command per call, each on lines of its own. */
export function curlOf(apiUrl: string, { operation, input }: Call): string {
  const { method, path } = OPERATIONS[operation]
  const rest: { [field: string]: unknown } = { ...input }
  const target = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = String(rest[name])
    delete rest[name]
    // The reader puts an id in place of one that ends in ….
    return value.endsWith('…') ? value : encodeURIComponent(value)
  })
  const given = Object.entries(rest).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  const isRead = method === 'GET' || method === 'DELETE'
  const address = apiUrl + target + (isRead && query !== '' ? '?' + query : '')
  return curlText({ method, address, body: isRead ? null : rest, credential: 'SVC_KEY' })
}

/** A command with the credential in a variable of the shell. */
export function curlText(of: {
  method: string
  address: string
  body: object | null
  credential: string
}): string {
  const { method, address, body, credential } = of
  const lines = [
    'curl ' + (method === 'GET' ? '' : '-X ' + method + ' ') + quoted(address),
    '-H "Authorization: Bearer $' + credential + '"',
    ...(body === null
      ? []
      : ["-H 'Content-Type: application/json'", '-d ' + quoted(JSON.stringify(body))]),
  ]
  return lines.join(' \\\n  ')
}

function quoted(text: string): string {
  return "'" + text.replaceAll("'", "'\\''") + "'"
}
