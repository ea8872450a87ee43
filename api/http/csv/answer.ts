// `format=csv` of a list: every page from the first on as one file, read while the caller takes it.
// Each page passes what a call passes: the credential is looked at again, and a token is taken.
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sleep } from '../../../shared/clock.ts'
import { CSV_ROWS_MAX, PAGE_MAX } from '../../../shared/limits.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import { payerOf } from '../gates/limit.ts'
import type { GateParts } from '../gates/parts.ts'
import { stillAllowed } from '../gates/still-allowed.ts'
import type { Verdict } from '../rate/token-bucket.ts'
import { Refusal } from '../refusal.ts'
import type { AnyRoute } from '../route.ts'
import { columnsOf, headerLine, itemOf, lineOf } from './table.ts'

export const CSV = 'text/csv'

export interface ListQuery {
  format?: string
  limit?: number
  starting_after?: string
  ending_before?: string
}

/** Reads the page that a query asks for, with a deadline of its own. */
export type ReadPage = (query: ListQuery) => Promise<unknown>

/** True where the call asks for a file of a list. */
export function asksForCsv(route: AnyRoute, query: unknown): query is ListQuery {
  const format = (query as ListQuery | null)?.format
  return format === 'csv' && itemOf(route) !== null
}

/**
 * Answers with the file. The first page is read before the answer begins, so that its refusals are
 * those of any call; a failure after it cuts the transfer off.
 */
export async function answerCsv(
  parts: GateParts,
  [request, reply]: [FastifyRequest, FastifyReply],
  [route, query]: [AnyRoute, ListQuery],
  read: ReadPage,
): Promise<FastifyReply> {
  if (query.ending_before !== undefined)
    throw new Refusal('parameters_exclusive', { param: 'ending_before' })
  const { format: _csv, limit: rowsMax = CSV_ROWS_MAX, ...filters } = query
  const page = async (asked: ListQuery): Promise<Page<unknown>> => written(reply, await read(asked))
  const first = await page({ ...filters, limit: Math.min(PAGE_MAX, rowsMax) })
  const name = route.paths[0]?.split('/').findLast((part) => /^[a-z_-]+$/.test(part)) ?? 'list'
  reply.type(CSV + '; charset=utf-8; header=present').headers({
    'Content-Disposition': 'attachment; filename="' + name + '.csv"',
    'Content-Security-Policy': "default-src 'none'",
    'Cache-Control': 'no-store',
  })
  const next = async (cursor: string, limit: number): Promise<Page<unknown>> => {
    await passAgain(parts, request, route)
    return page({ ...filters, starting_after: cursor, limit })
  }
  const whole = request.method !== 'HEAD'
  return reply.send(Readable.from(lines(route, { first, next, rowsMax, whole })))
}

interface Reading {
  first: Page<unknown>
  next(cursor: string, limit: number): Promise<Page<unknown>>
  rowsMax: number
  whole: boolean
}

async function* lines(
  route: AnyRoute,
  { first, next, rowsMax, whole }: Reading,
): AsyncGenerator<string> {
  const columns = columnsOf(itemOf(route) ?? {})
  yield headerLine(columns)
  let page = first
  for (let left = whole ? rowsMax : 0; left > 0; ) {
    yield page.data.map((item) => lineOf(columns, item)).join('')
    left -= page.data.length
    if (page.next_cursor === null || left <= 0) return
    page = await next(page.next_cursor, Math.min(PAGE_MAX, left))
  }
}

/** A page through the writer of the answer: a file holds nothing that the list does not show. */
function written(reply: FastifyReply, page: unknown): Page<unknown> {
  const text = typeof page === 'string' ? page : String(reply.serialize(page))
  return JSON.parse(text) as Page<unknown>
}

/** Waits for a token; throws where the credential no longer allows the call. */
async function passAgain(
  parts: GateParts,
  request: FastifyRequest,
  route: AnyRoute,
): Promise<void> {
  if (!(await stillAllowed(parts, request)())) throw new Error('the credential ended')
  const payer = payerOf(request)
  const { principal, clientAddress } = request
  // One address gets a part of the limit of a public key, as at the gate.
  if (principal?.publishable === true)
    await taken(() => parts.limits.takeVisitor(payer, route.bucket, clientAddress))
  await taken(() => parts.limits.take(payer, route.bucket))
}

async function taken(take: () => Verdict | Promise<Verdict>): Promise<void> {
  for (;;) {
    const { waitMs } = await take()
    if (waitMs === 0) return
    await sleep(waitMs)
  }
}
