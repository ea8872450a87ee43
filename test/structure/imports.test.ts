import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { below, ROOT, SOURCES, type Source } from './sources.ts'

function offenders(sources: readonly Source[], forbidden: (target: string) => boolean): string[] {
  return sources.flatMap((source) =>
    source.imports.filter(forbidden).map((target) => source.path + ' imports ' + target),
  )
}

test('engine and api never import each other', (t) => {
  t.ok(below('engine').length > 20 && below('api').length > 20, 'the sources are read')
  t.same(
    offenders(below('engine'), (target) => !/^(engine|shared)\//.test(target)),
    [],
  )
  t.same(
    offenders(
      below('api').filter(({ path }) => !path.startsWith('api/dashboard/')),
      (target) => !/^(api|shared)\//.test(target),
    ),
    [],
  )
  t.end()
})

test('shared imports no other folder of ours', (t) => {
  t.same(
    offenders(below('shared'), (target) => !target.startsWith('shared/')),
    [],
  )
  t.end()
})

test('a service loads no package for development; it may take types from there', (t) => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const development = Object.keys(manifest.devDependencies)
  const loaded = ({ path, text }: Source): string[] =>
    [...text.matchAll(/^(?:import|export) (?!type )[^']*from '([^']+)'/gm)]
      .filter(([, name]) => development.some((one) => name === one || name?.startsWith(one + '/')))
      .map(([, name]) => path + ' loads ' + name)
  t.ok(development.includes('typebox'))
  const services = ['api', 'engine', 'shared'].flatMap((folder) => [...below(folder)])
  t.same(services.flatMap(loaded), [])
  t.end()
})

test('the client imports nothing of ours, and only callers of the API import it', (t) => {
  t.ok(below('client').length > 3)
  t.same(
    offenders(below('client'), (target) => !target.startsWith('client/')),
    [],
  )
  t.same(
    below('client').flatMap(({ packages }) => packages.filter((name) => !name.startsWith('node:'))),
    [],
  )
  const product = ['engine', 'api', 'shared']
    .flatMap((folder) => [...below(folder)])
    .filter(({ path }) => !path.startsWith('api/dashboard/'))
  t.same(
    offenders(product, (target) => target.startsWith('client/')),
    [],
  )
  t.end()
})

test('the dashboard is a client of the API: it imports nothing of the api but itself', (t) => {
  t.ok(below('api/dashboard').length > 20)
  t.same(
    offenders(
      below('api/dashboard'),
      (target) => !/^(api\/dashboard|client|shared)\//.test(target),
    ),
    [],
  )
  const inward = SOURCES.filter(({ path }) => !/^(api\/dashboard|test)\//.test(path)).flatMap(
    ({ path, imports }) =>
      imports
        .filter((target) => target.startsWith('api/dashboard/'))
        .map((target) => path + ' imports ' + target),
  )
  t.same(inward, [
    'api/http/addresses.ts imports api/dashboard/index.ts',
    'api/http/dashboard-member.ts imports api/dashboard/port.ts',
    'api/http/dashboard-port.ts imports api/dashboard/port.ts',
    'api/http/dashboard-stream.ts imports api/dashboard/port.ts',
    'api/http/operator-port.ts imports api/dashboard/port.ts',
  ])
  t.end()
})

test('a package of one part is imported by that part alone', (t) => {
  const users = (name: string): string[] =>
    SOURCES.filter((source) => source.packages.includes(name)).map((source) => source.path)
  const outside = (name: string, folders: RegExp): string[] =>
    users(name).filter((path) => !folders.test(path))
  t.ok(users('lmdb').length > 0)
  t.same(outside('lmdb', /^(engine\/config-cache|test|bench)\//), [])
  t.ok(users('uWebSockets.js').length > 0)
  t.same(outside('uWebSockets.js', /^(test|bench)\//), [])
  const chains = /^viem(\/|$)/
  const chainUsers = SOURCES.filter(({ packages }) => packages.some((name) => chains.test(name)))
  t.ok(chainUsers.length > 0)
  t.same(
    chainUsers
      .map(({ path }) => path)
      .filter((path) => !/^(api\/payments\/chain|scripts\/chain-peer|test)\//.test(path)),
    [],
    'viem stays behind the chain',
  )
  const byValue = /^(import|export) (?!type )(\{[^}]*\}|[^'{\n]*) from 'viem[/']/m
  t.match("import {\n  size,\n} from 'viem/utils'", byValue)
  t.same(
    below('api').flatMap(({ path, text }) => (byValue.test(text) ? [path] : [])),
    [],
    'the api loads viem by its first call',
  )
  const tracers = SOURCES.filter(({ packages }) =>
    packages.some((name) => name.startsWith('@opentelemetry/')),
  )
  t.same(
    tracers.map(({ path }) => path),
    ['api/tracing/otlp.ts'],
    'the SDK of traces stays behind one file',
  )
  const guessers = SOURCES.filter(({ packages }) =>
    packages.some((name) => name.startsWith('@zxcvbn-ts/')),
  )
  t.same(
    guessers.map(({ path }) => path),
    ['api/access/web/guessing-thread.ts'],
    'dictionaries stay in a thread that ends',
  )
  t.ok(users('stripe').length > 0)
  t.same(outside('stripe', /^(api\/billing\/processor|test)\//), [])
  t.end()
})

const STEPS = [
  'receive',
  'decode',
  'recall',
  'gather',
  'judge',
  'reserve',
  'ask',
  'conclude',
  'answer',
]

test('a step of the authorization line imports only earlier steps', (t) => {
  const place = (path: string): number =>
    STEPS.indexOf(path.slice('engine/line/'.length, -'.ts'.length))
  t.ok(
    STEPS.every((step) =>
      below('engine/line').some((source) => source.path === 'engine/line/' + step + '.ts'),
    ),
  )
  const wrong = below('engine/line').flatMap((source) =>
    source.imports
      .filter(
        (target) =>
          target.startsWith('engine/line/') &&
          place(target) >= 0 &&
          place(target) >= place(source.path),
      )
      .map((target) => source.path + ' imports ' + target),
  )
  t.same(wrong, [])
  t.end()
})

const RESOURCES = [
  'platform/tenants',
  'webhooks/events',
  'issuing/programs',
  'access/keys',
  'access/identities',
  'access/sessions',
  'access/people',
  'access/mails',
  'access/passkeys',
  'platform/audit',
  'access/oauth',
  'access/factors',
  'access/invitations',
  'access/proofs',
  'platform/account',
  'platform/kyb',
  'platform/refused-calls',
  'platform/operator-approvals',
  'platform/operators',
  'webhooks/endpoints',
  'webhooks/deliveries',
  'passes/images',
  'passes/templates',
  'passes/passes',
  'passes/scanners',
  'passes/scans',
  'issuing/screening',
  'issuing/cardholders',
  'issuing/controls',
  'issuing/wallet-tokens',
  'issuing/card-tokens',
  'issuing/cards',
  'issuing/authentications',
  'issuing/transactions',
  'issuing/backtests',
  'issuing/feed',
  'issuing/disputes',
  'issuing/clearing',
  'issuing/fx-rates',
  'payments/settlement-accounts',
  'payments/payment-accounts',
  'payments/ledger',
  'payments/payment-mandates',
  'payments/payment-withdrawals',
  'payments/payments',
  'payments/settlement-batches',
  'billing/addons',
  'billing/customers',
  'billing/payment-methods',
  'billing/notices',
  'billing/portal-sessions',
  'billing/quotes',
  'billing/metering',
  'billing/invoices',
  'billing/subscriptions',
  'billing/closing',
  'billing/collection',
  'platform/sandbox',
]

test('a resource imports only index.ts of resources to its left', (t) => {
  const resourceOf = (path: string): string => path.split('/').slice(1, 3).join('/')
  const resources = below('api').filter((source) => RESOURCES.includes(resourceOf(source.path)))
  t.ok(resources.length > 200)
  const wrong = resources.flatMap((source) =>
    source.imports
      .filter(
        (target) =>
          RESOURCES.includes(resourceOf(target)) && resourceOf(target) !== resourceOf(source.path),
      )
      .filter(
        (target) =>
          RESOURCES.indexOf(resourceOf(target)) >= RESOURCES.indexOf(resourceOf(source.path)) ||
          !target.endsWith('/index.ts'),
      )
      .map((target) => source.path + ' imports ' + target),
  )
  t.same(wrong, [])
  t.end()
})

/** Domains whose index.ts a domain may import. Tenants stand below all other domains. */
const DOMAINS: { readonly [domain: string]: readonly string[] } = {
  tenants: [],
  webhooks: ['tenants'],
  passes: ['tenants', 'webhooks'],
  access: ['tenants', 'webhooks'],
  issuing: ['tenants', 'webhooks', 'passes'],
  payments: ['tenants', 'webhooks', 'access', 'issuing'],
  billing: ['tenants', 'webhooks'],
  platform: ['tenants', 'webhooks', 'access', 'issuing', 'payments', 'billing'],
}

function domainOf(path: string): string | null {
  if (path.startsWith('api/platform/tenants/')) return 'tenants'
  const [, folder = ''] = path.split('/')
  return path.startsWith('api/') && folder in DOMAINS ? folder : null
}

test('the domains are a directed graph without a cycle', (t) => {
  const placed: string[] = []
  for (const [domain, others] of Object.entries(DOMAINS)) {
    t.same(
      others.filter((other) => !placed.includes(other)),
      [],
      domain,
    )
    placed.push(domain)
  }
  const wrong = below('api').flatMap((source) => {
    const from = domainOf(source.path)
    return source.imports
      .filter((target) => {
        const to = domainOf(target)
        if (from === null || to === null || from === to) return false
        return !DOMAINS[from]?.includes(to) || !target.endsWith('/index.ts')
      })
      .map((target) => source.path + ' imports ' + target)
  })
  t.same(wrong, [])
  t.end()
})

test('no file imports itself through others, imports of types counted', (t) => {
  const byPath = new Map(SOURCES.map((source) => [source.path, source]))
  const done = new Set<string>()
  const cycles: string[] = []
  const walk = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path))
      return void cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
    if (done.has(path)) return
    for (const target of byPath.get(path)?.imports ?? []) walk(target, [...trail, path])
    done.add(path)
  }
  for (const source of SOURCES) walk(source.path, [])
  t.same(cycles, [])
  t.end()
})
