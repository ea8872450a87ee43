// The dashboard in a test: a tenant with one resource of every kind, its person, and a browser.
import type { Browser, Page } from 'playwright-core'
import type { PersonRole } from '../../shared/schemas/person.ts'
import type { TestApi } from './api.ts'
import { openWatched, type Watched } from './browser.ts'
import { furnish, type Things } from './furnished.ts'
import { startIssuingApi } from './issuing.ts'
import { type Person, seedPerson } from './person.ts'
import { enter } from './visit.ts'

export interface TestDashboard {
  api: TestApi
  things: Things
  person: Person
  /** Cookie of the person's session. */
  cookie: string
  /** Path below which the pages of the sandbox are. */
  root: string
}

/** Starts the API with a furnished tenant, and signs a person of it in. */
export async function startDashboard(role: PersonRole = 'owner'): Promise<TestDashboard> {
  const api = await startIssuingApi()
  const things = await furnish(api, api.tenant)
  const { person, cookie } = await enterAs(api, role)
  return { api, things, person, cookie, root: '/d/' + api.tenant.tenantId + '/sandbox' }
}

/** Another person of the tenant, signed in. */
export async function enterAs(
  api: TestApi,
  role: PersonRole,
  tenantId = api.tenant.tenantId,
): Promise<{ person: Person; cookie: string }> {
  await api.sql`delete from sign_in_tries`
  const person = await seedPerson(api.sql, tenantId, role)
  return { person, cookie: await enter(api, person) }
}

/** A page of Chromium with the session, which collects complaints and foreign requests. */
export async function openSignedIn(
  browser: Browser,
  { api, cookie }: Pick<TestDashboard, 'api' | 'cookie'>,
  look: Parameters<typeof openWatched>[1],
): Promise<Watched> {
  const watched = await openWatched(browser, look)
  const [name = '', value = ''] = cookie.split('=')
  await watched.page.context().addCookies([{ name, value, url: api.url }])
  noteForeign(watched, api.url)
  return watched
}

/** Notes every request of the page that leaves this origin among its errors. */
export function noteForeign({ page, errors }: Watched, own: string): void {
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== own && protocol !== 'data:') errors.push('foreign request ' + request.url())
  })
}

/** Another tab of the same browser and session, which adds to the same errors. */
export async function openTab({ page, errors }: Watched, own: string): Promise<Page> {
  const tab = await page.context().newPage()
  tab.on('console', (message) => {
    if (message.type() !== 'log') errors.push(message.text())
  })
  tab.on('pageerror', (error) => errors.push(error.message))
  noteForeign({ page: tab, errors }, own)
  return tab
}
