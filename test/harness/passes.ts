// Content for passes in tests, and calls that issue them.
import type { Answer, TestApi } from './api.ts'
import type { TestTenant } from './tenant.ts'

/** With a placeholder, a barcode of ours and a field on the back. */
export const TEMPLATE = {
  name: 'Members 2026',
  style: 'store_card',
  organization_name: 'Shop',
  description: 'Membership card of Shop',
  colors: { background: '#003366' },
  fields: {
    primary: [{ key: 'points', label: 'Points', value: '{{points}}', change_message: 'Now %@' }],
    secondary: [{ key: 'holder', label: 'Member', value: '{{holder_name}}' }],
    back: [{ key: 'terms', label: 'Terms', value: 'Be kind.' }],
  },
  barcode: { format: 'qr' },
} as const

/** The body of an answer; a refusal fails the test. */
export function done(answer: Answer): Answer['body'] {
  if (answer.status >= 300) throw new Error(answer.status + ' ' + answer.text)
  return answer.body
}

/** Calls as one tenant, with its key of the scope `write`. */
export function caller(api: TestApi, tenant: TestTenant = api.tenant) {
  const key = tenant.keys.write
  return {
    post: (path: string, body: object = {}, headers: { [name: string]: string } = {}) =>
      api.call('POST', '/v1/' + path, { key, body, headers }),
    patch: (path: string, body: object) => api.call('PATCH', '/v1/' + path, { key, body }),
    get: (path: string) => api.call('GET', '/v1/' + path, { key }),
    remove: (path: string) => api.call('DELETE', '/v1/' + path, { key }),
  }
}

/** A fresh template, as the API answered it. */
export async function makeTemplate(api: TestApi, more: object = {}): Promise<Answer['body']> {
  return done(await caller(api).post('pass_templates', { ...TEMPLATE, ...more }))
}

/** A fresh pass, as the API answered it; without a template in `more` it makes a fresh one. */
export async function issuePass(
  api: TestApi,
  more: { template_id?: string; [field: string]: unknown } = {},
): Promise<Answer['body']> {
  const template_id = more.template_id ?? (await makeTemplate(api)).id
  return done(await caller(api).post('passes', { ...more, template_id }))
}

/** Its events of a type, in their order, as `GET /v1/events` shows them. */
export async function eventsOf(
  api: TestApi,
  resourceId: string,
  type: string,
): Promise<Answer['body'][]> {
  const query = '?order=asc&limit=100&type=' + type + '&resource_id=' + resourceId
  const answer = await api.call('GET', '/v1/events' + query, { key: api.tenant.keys.read })
  return done(answer).data
}
