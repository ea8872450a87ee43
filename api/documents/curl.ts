// A call as a line for a shell, with the example of the document.

import type { Operation, Parameter } from './document.ts'
import { EXAMPLE_IDS } from './example-ids.ts'

/**
 * The call of an operation by curl; `SVC_URL` and `SVC_KEY` stand for the installation and the
 * credential.
 */
export function curlOf({
  path,
  method,
  operation,
}: {
  path: string
  method: string
  operation: Operation
}): string {
  const parameters = operation.parameters.filter((one): one is Parameter => 'name' in one)
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => exampleId(path, name))
  const asked = parameters.filter(
    (one) => one.in === 'query' && (one.required || one.name === 'limit'),
  )
  const query = asked.map(({ name }) => name + '=' + (name === 'limit' ? '10' : 'text')).join('&')
  const lines = [
    'curl ' +
      (method === 'get' ? '' : '-X ' + method.toUpperCase() + ' ') +
      '"$SVC_URL' +
      url +
      (query === '' ? '' : '?' + query) +
      '"',
  ]
  const keyed = operation.security.length > 0
  if (keyed) lines.push('-H "Authorization: Bearer $SVC_KEY"')
  if (keyed && method !== 'get') lines.push('-H "Idempotency-Key: $(uuidgen)"')
  const body = operation.requestBody?.content['application/json']
  if (body !== undefined) {
    lines.push('-H "Content-Type: application/json"')
    lines.push("-d '" + JSON.stringify(body.example, null, 2).replaceAll("'", "'\\''") + "'")
  }
  return lines.join(' \\\n  ')
}

function exampleId(path: string, parameter: string): string {
  const segments = path.split('/')
  const collection = segments[segments.indexOf('{' + parameter + '}') - 1] ?? ''
  return EXAMPLE_IDS[collection] ?? 'id_01m7wdgzf0fs28n3488hcbjt71'
}
