// The pages of operators: a client of the operators' API inside this process. For anyone but an
// operator with a passkey, from an address of operators, the pages do not exist.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../../../shared/html.ts'
import type { Assets } from '../assets.ts'
import { keepChoices, readChoices } from '../choices.ts'
import { sendRows } from '../csv.ts'
import { Refused } from '../page.ts'
import { panelError } from '../parts/panel.ts'
import type { DashboardPort, OperatorAtWork } from '../port.ts'
import { createReads, type DeskPage, type DeskShown } from './desk.ts'
import { runMove } from './effect.ts'
import { deskPage } from './frame.ts'
import {
  alerts,
  approvals,
  auditLog,
  clearing,
  clearingFile,
  clients,
  operators,
  people,
  programs,
  tenants,
} from './lists.ts'
import { billing, settlements, withdrawals } from './money.ts'
import { MOVES } from './moves.ts'
import { queue } from './queue.ts'
import { contract, quote, quotes } from './quotes.ts'
import { rates, rateTable } from './rates.ts'
import { tenant } from './tenant.ts'

export const DESK_PAGES: readonly DeskPage[] = [
  ...[queue, tenants, tenant, people, contract, programs, alerts, rates, rateTable],
  ...[clearing, clearingFile],
  ...[settlements, withdrawals, quotes, quote, billing, clients, operators, approvals, auditLog],
]

/** Registers the pages below `/operator`, in the scope of pages. */
export function registerDesk(
  pages: FastifyInstance,
  { apiUrl, operators: port }: DashboardPort,
  look: { assets: Assets; headers: { readonly [name: string]: string } },
): void {
  const { assets, headers } = look
  type Handler = (
    request: FastifyRequest,
    reply: FastifyReply,
    operator: OperatorAtWork,
  ) => Promise<FastifyReply>
  const operating =
    (run: Handler) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const operator = await port.find(request)
      return operator === null ? port.hide(reply) : run(request, reply, operator)
    }
  const show = (
    [request, reply, operator]: Parameters<Handler>,
    shown: DeskShown,
    { current, made }: { current: DeskPage | null; made: readonly string[] },
  ): FastifyReply => {
    const done = queryOf(request).get('done') ?? ''
    const text = deskPage({
      ...{ shown, current, pages: DESK_PAGES, operator, made, apiUrl, assets },
      theme: readChoices(request).theme,
      done: current === null ? null : (MOVES[done]?.done ?? null),
    })
    return reply
      .code(shown.status ?? 200)
      .headers(headers)
      .send(text)
  }
  for (const page of DESK_PAGES)
    pages.get(
      page.path,
      operating(async (...exchange) => {
        const [request, reply, operator] = exchange
        const reads = createReads(port, request, operator)
        const desk = {
          ...{ ...reads, name: operator.name, now: request.admittedAtMs, apiUrl },
          ...{ params: request.params as { [name: string]: string }, query: queryOf(request) },
        }
        try {
          if (page.rows !== undefined && desk.query.get('format') === 'csv')
            return await sendRows(reply, { ...page, headers }, page.rows(desk))
          return show(exchange, await page.view(desk), { current: page, made: reads.made })
        } catch (error) {
          if (!(error instanceof Refused)) throw error
          return show(exchange, refusedPage(error), { current: page, made: reads.made })
        }
      }),
    )
  pages.post(
    '/operator/theme',
    operating(async (request, reply) => keepChoices(request, reply, '/operator')),
  )
  for (const [name, move] of Object.entries(MOVES))
    pages.post(
      '/operator/do/' + name + '/:id',
      operating(async (...exchange) => {
        const [request, reply, operator] = exchange
        const result = await runMove(name, move, { port, request, reply, operator })
        if ('location' in result) return reply.redirect(result.location, 303)
        return show(exchange, result, { current: null, made: [] })
      }),
    )
}

function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(url.split('?').slice(1).join('?'))
}

function refusedPage({ problem }: Refused): DeskShown {
  const title = problem.status === 404 ? 'Nothing here' : 'This did not work'
  return {
    title,
    status: problem.status === 0 ? 200 : problem.status,
    content: html`<header class="head"><h1>${title}</h1></header>${panelError(problem)}`,
  }
}
