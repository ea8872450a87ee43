// A list as a file for a spreadsheet. RFC 4180.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { csvCell } from '../../shared/csv-cell.ts'
import type { Html } from '../../shared/html.ts'

/** Rows per call while a file is written. */
export const FILE_ROWS = 100

const NUMBER = /^-?\d+(\.\d+)?$/

/** One line of the file, with its end. A number stays a number, also a negative one. */
function csvLine(cells: readonly string[]): string {
  return cells.map((text) => (NUMBER.test(text) ? text : csvCell(text))).join(',') + '\r\n'
}

/**
 * Answers with the file. Every row is read before the answer begins: a refusal still has its page.
 * Throws what reading a row throws.
 */
export async function sendRows(
  reply: FastifyReply,
  { title, headers }: { title: string; headers: { readonly [name: string]: string } },
  rows: AsyncGenerator<readonly string[]>,
): Promise<FastifyReply> {
  const lines: string[] = []
  for await (const row of rows) lines.push(csvLine(row))
  const name = title.toLowerCase().replaceAll(/[^a-z]+/g, '-')
  return reply
    .headers({ ...headers, 'Content-Disposition': 'attachment; filename="' + name + '.csv"' })
    .type('text/csv; charset=utf-8')
    .send(Readable.from(lines))
}

/** The text of a cell of a page, without its tags and the signs that only eyes see. */
export function cellText(cell: Html | string | number | null): string {
  if (cell === null) return ''
  if (typeof cell !== 'object') return String(cell)
  // A moment and an id stand whole in an attribute.
  const whole = /(?:datetime|class="id" title)="([^"]*)"/.exec(cell.text)?.[1]
  return (whole ?? cell.text)
    .replaceAll(/<span aria-hidden="true">[^<]*<\/span>/g, '')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(lt|gt|quot|amp|#39);/g, (_whole, name: string) => ENTITIES[name] ?? '')
    .trim()
}

const ENTITIES: { readonly [name: string]: string } = {
  ...{ lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" },
}
