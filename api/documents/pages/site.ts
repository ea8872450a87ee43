// The two trees of pages: that of tenants below /docs, and that of operators below /operator/docs.
// A page is made at its first request.
import { html } from '../../../shared/html.ts'
import type { OpenApiDocument } from '../document.ts'
import { WEBHOOKS_TAG } from '../tags.ts'
import { errorsPage } from './errors-page.ts'
import { eventsPage } from './events-page.ts'
import { authenticationPage, listsPage, repetitionPage, versionsPage } from './guides/calls.ts'
import { platformsPage } from './guides/platforms.ts'
import { realtimePage } from './guides/realtime.ts'
import { grantsPage, operationIndex, overviewPage, sandboxPage } from './guides/start.ts'
import { ISO_8583_PATH, isoPage } from './iso8583.ts'
import { type Frame, type Link, type LinkGroup, type Page, pathOfTag } from './layout.ts'
import { resourcePage } from './resource-page.ts'
import {
  declinesPage,
  FAILURES_PATH,
  failuresPage,
  stopReasonsPage,
  transactionValuesPage,
} from './values-page.ts'

interface Entry extends Link {
  make(document: OpenApiDocument): Page
}

/** Pages that are about no single resource. A further page is a row here. */
const GUIDES: readonly Entry[] = [
  { path: '/docs', title: 'Overview', make: overviewPage },
  { path: '/docs/authentication', title: 'Authentication', make: authenticationPage },
  { path: '/docs/lists', title: 'Lists', make: listsPage },
  { path: '/docs/idempotency', title: 'Idempotency and limits', make: repetitionPage },
  { path: '/docs/webhooks', title: 'Webhooks and events', make: eventsPage },
  { path: '/docs/realtime', title: 'Decide in real time', make: realtimePage },
  { path: '/docs/platforms', title: 'Platforms', make: platformsPage },
  { path: '/docs/testing', title: 'The sandbox', make: sandboxPage },
  { path: '/docs/grants', title: 'What an operator grants', make: grantsPage },
  { path: '/docs/versions', title: 'Versions', make: versionsPage },
]

const REFERENCE: readonly Entry[] = [
  { path: '/docs/errors', title: 'Errors', make: errorsPage },
  { path: '/docs/decline-reasons', title: 'Decline reasons', make: declinesPage },
  { path: '/docs/transaction-values', title: 'Transaction values', make: transactionValuesPage },
  { path: '/docs/stop-reasons', title: 'Stop reasons', make: stopReasonsPage },
  { path: FAILURES_PATH, title: 'Failures', make: failuresPage },
  { path: ISO_8583_PATH, title: 'ISO 8583', make: isoPage },
]

export interface Site {
  frame: Frame
  /** Every page by its path. */
  pages: ReadonlyMap<string, () => Page>
}

/** The pages of tenants. */
export function tenantSite(document: OpenApiDocument): Site {
  return siteOf(document, {
    root: '/docs',
    brand: 'API reference',
    documentPath: '/openapi.json',
    entries: [
      { title: 'Guides', entries: GUIDES },
      { title: 'Reference', entries: REFERENCE },
    ],
  })
}

/** The pages of operators. */
export function operatorSite(document: OpenApiDocument): Site {
  const root = '/operator/docs'
  const make = (): Page => ({
    path: root,
    title: 'Overview',
    body: html`<h1>svc for operators</h1>
<p class="lead">The operations of the installation. A call carries <code>Authorization: Bearer svc_op_…</code>; to everybody else its path does not exist (404). <code>npm run operator</code> makes the same calls.</p>
${operationIndex(document, root)}`,
  })
  return siteOf(document, {
    root,
    brand: 'operator reference',
    documentPath: '/operator/openapi.json',
    entries: [{ title: 'Guides', entries: [{ path: root, title: 'Overview', make }] }],
  })
}

function siteOf(
  document: OpenApiDocument,
  {
    root,
    brand,
    documentPath,
    entries,
  }: {
    root: string
    brand: string
    documentPath: string
    entries: readonly { title: string; entries: readonly Entry[] }[]
  },
): Site {
  const tags = document.tags.map(({ name }) => name).filter((name) => name !== WEBHOOKS_TAG)
  const resources: Entry[] = tags.map((tag) => ({
    path: pathOfTag(tag, root),
    title: tag,
    make: () => resourcePage(document, tag, root),
  }))
  const groups: LinkGroup[] = [
    ...entries.map((group) => ({ title: group.title, links: group.entries })),
    { title: 'Resources', links: resources },
  ]
  const all = [...entries.flatMap((group) => group.entries), ...resources]
  return {
    frame: { root, brand, documentPath, version: document.info.version, groups },
    pages: new Map(all.map(({ path, make }) => [path, () => make(document)])),
  }
}
