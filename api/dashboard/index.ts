// The dashboard: pages of a tenant in one environment. It is a client of the API inside this
// process: every figure and every write is an operation of the route table, through all gates.
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readAssets } from './assets.ts'
import { keepChoices, readChoices } from './choices.ts'
import { compress } from './compress.ts'
import { sendRows } from './csv.ts'
import { doneSentence, formOf, runEffect } from './effects.ts'
import { type End, endOf, endPage } from './ends.ts'
import { framedPage, type Theme } from './frame.ts'
import { registerDesk } from './operator/index.ts'
import {
  type ActionDefinition,
  isIn,
  NOT_YOURS,
  type PageDefinition,
  Redirect,
  Refused,
  type Shown,
} from './page.ts'
import { ACTIONS, FILES, PAGES } from './pages/table.ts'
import type { DashboardPort, Visitor } from './port.ts'
import { problemPage } from './problem-page.ts'
import { type Opened, openVisit, rootOf } from './visit.ts'

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    "img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'self'; " +
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
}

/** Pages and forms stand below it. */
const BELOW = '/d/:tenant/:environment'
/** Pages that had addresses of their own before. */
const MOVED = ['people', 'going_live']
/** The stream behind the live page. */
const FEED = '/v1/card_transactions/stream'

/** A reply, or the stream that is its body. */
type Sent = FastifyReply | Readable
type Exchange = readonly [request: FastifyRequest, reply: FastifyReply]

/** Registers every page and form below `/d`. */
export function registerDashboard(server: FastifyInstance, port: DashboardPort): void {
  const assets = readAssets({ 'passkey.js': port.passkeyScript })
  const end = (reply: FastifyReply, name: End): FastifyReply => {
    const { status, text } = endPage(name, { assets, requestId: reply.request.id })
    return reply.code(status).headers(HEADERS).send(text)
  }
  const show = (
    [request, reply]: Exchange,
    opened: Opened,
    shown: Shown,
    current: PageDefinition | null,
  ) => {
    const { visit, caller } = opened
    const { theme, hasKeys } = readChoices(request)
    const text = framedPage({
      ...{ visit, shown, current, assets, theme: theme as Theme, hasKeys, pages: PAGES },
      ...{ environments: port.environments, calls: caller.made },
      done: doneSentence(ACTIONS, visit.query.get('done')),
    })
    return reply
      .code(shown.status ?? 200)
      .headers(HEADERS)
      .send(text)
  }
  /** Leads to the sign-in page, or runs with the visit of a member. */
  const visiting =
    (run: (exchange: Exchange, opened: Opened, visitor: Visitor) => Promise<Sent>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<Sent> => {
      const visitor = await port.findVisitor(request)
      if (visitor === null) {
        const back = request.method === 'GET' ? '?next=' + encodeURIComponent(request.url) : ''
        return reply.redirect('/sign-in' + back, 303)
      }
      const opened = await openVisit(port, request, visitor)
      return opened === null ? end(reply, 'missing') : run([request, reply], opened, visitor)
    }
  server.register(async (pages) => {
    port.prepare(pages, (reply, status) => end(reply, endOf(status)))
    pages.addHook('preHandler', async (request, reply) => {
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      return isRead || port.isOwnForm(request) ? undefined : end(reply, 'foreign')
    })
    pages.addHook('onSend', compress)
    assets.register(pages)
    pages.get('/d', async (request, reply) => {
      const visitor = await port.findVisitor(request)
      if (visitor === null) return reply.redirect('/sign-in?next=%2Fd', 303)
      const [first] = visitor.memberships
      if (first === undefined) return reply.redirect('/account', 303)
      return reply.redirect(rootOf(first.tenantId, 'sandbox') + '/overview', 303)
    })
    for (const page of MOVED)
      pages.get('/' + page + '/:tenant(^ten_[0-9a-z]+$)', (request, reply) => {
        const { tenant } = request.params as { tenant: string }
        return reply.redirect(rootOf(tenant, 'sandbox') + '/' + page, 301)
      })
    pages.get(
      BELOW,
      visiting(async ([, reply], { visit }) => reply.redirect(visit.to('/overview'), 303)),
    )
    pages.get(
      BELOW + '/*',
      visiting(async ([, reply]) => end(reply, 'missing')),
    )
    pages.post(
      BELOW + '/theme',
      visiting(async ([request, reply], { visit }) =>
        keepChoices(request, reply, visit.to('/overview')),
      ),
    )
    for (const definition of PAGES)
      pages.get(
        BELOW + definition.path,
        visiting((exchange, opened) => view(definition, exchange, opened)),
      )
    registerFiles(pages)
    registerForms(pages)
    registerDesk(pages, port, { assets, headers: HEADERS })
  })

  function registerFiles(pages: FastifyInstance): void {
    pages.get(
      BELOW + '/live/stream',
      visiting((exchange, { visit }) => port.stream(exchange, visit, FEED)),
    )
    for (const { method, path, type, view: framed } of FILES)
      pages.route({
        ...{ method, url: BELOW + path },
        handler: visiting(async ([request, reply], { visit }) => {
          try {
            const { policy, text } = await framed(visit, formOf(request))
            const own = { 'Content-Security-Policy': policy, 'X-Frame-Options': 'SAMEORIGIN' }
            const typed = type === undefined ? {} : { 'Content-Type': type }
            return reply.headers({ ...HEADERS, ...own, ...typed }).send(text)
          } catch (error) {
            if (!(error instanceof Refused)) throw error
            return end(reply, endOf(error.problem.status))
          }
        }),
      })
  }

  function registerForms(pages: FastifyInstance): void {
    const read = new Set(PAGES.map(({ path }) => path))
    for (const definition of ACTIONS) {
      pages.post(
        BELOW + definition.path,
        visiting((exchange, opened, visitor) => effect(definition, exchange, opened, visitor)),
      )
      if (read.has(definition.path)) continue
      // A reload of the address after an effect leads to the page above it.
      pages.get(
        BELOW + definition.path,
        visiting(async ([request, reply]) =>
          reply.redirect((request.url.split('?', 1)[0] ?? '').replace(/\/[^/]+$/, ''), 303),
        ),
      )
    }
  }

  async function view(definition: PageDefinition, exchange: Exchange, opened: Opened) {
    const [, reply] = exchange
    const { visit } = opened
    if (!isIn(definition, visit)) return end(reply, 'missing')
    const [first] = definition.operations
    if (first !== undefined && !visit.may(first))
      return show(exchange, opened, problemPage(visit, NOT_YOURS), definition)
    try {
      if (definition.rows !== undefined && visit.query.get('format') === 'csv')
        return await sendRows(reply, { ...definition, headers: HEADERS }, definition.rows(visit))
      return show(exchange, opened, await definition.view(visit), definition)
    } catch (error) {
      if (error instanceof Redirect) return reply.redirect(visit.to(error.path), 303)
      if (!(error instanceof Refused)) throw error
      return show(exchange, opened, problemPage(visit, error.problem), definition)
    }
  }

  async function effect(
    definition: ActionDefinition,
    exchange: Exchange,
    opened: Opened,
    visitor: Visitor,
  ) {
    const [request, reply] = exchange
    const result = await runEffect(definition, { ...opened, port, request, reply, visitor })
    if ('location' in result) return reply.redirect(result.location, 303)
    return show(exchange, opened, result, null)
  }
}
