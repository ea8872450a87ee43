// Reads a list of the API whole, page by page.
import type { Call, OperationName, Visit } from './page.ts'

interface Page<Row> {
  data: readonly Row[]
  has_more: boolean
  next_cursor: string | null
}

/** Yields every row of a list, in its order. Throws `Refused` where a page is refused. */
export async function* createReader<Row>(
  at: Pick<Visit, 'need'>,
  operation: OperationName,
  input: object,
): AsyncGenerator<Row> {
  let more: object = {}
  for (;;) {
    const call: Call = { operation, input: { ...input, ...more } }
    const read = (await at.need(call)) as object as Page<Row>
    yield* read.data
    if (!read.has_more || read.next_cursor === null) return
    more = { starting_after: read.next_cursor }
  }
}
