// Names of resources that an answer knows by their ids only.
import type { Html } from '../../../shared/html.ts'
import type { AnswerOf, Call, OperationName, Outcome, Visit } from '../page.ts'
import { idLink } from './id.ts'

/** Shows an id by its name. */
export type NameOf = (id: string | null) => Html

interface Read {
  operation: OperationName
  name(answer: unknown): string
}

function by<Name extends OperationName>(
  operation: Name,
  name: (answer: AnswerOf<Name>) => string,
): Read {
  return { operation, name: (answer) => name(answer as AnswerOf<Name>) }
}

/** The read of a resource by the prefix of its id, and the name in its answer. */
const READS: { readonly [prefix: string]: Read } = {
  card: by('getCard', ({ last4 }) => '…' + last4),
  ch: by('getCardholder', ({ name }) => name),
  key: by('getApiKey', ({ name }) => name),
  prog: by('getProgram', ({ name }) => name),
  pass: by('getPass', ({ holder_name: name }) => name ?? ''),
  ptpl: by('getPassTemplate', ({ name }) => name),
  scn: by('getScanner', ({ name }) => name),
  sacc: by('getSettlementAccount', ({ name }) => name),
  user: by('getPerson', ({ name }) => name),
  we: by('getWebhookEndpoint', ({ url }) => url),
}

/** Links to resources by their names; by the id where the reader may not see it, or it is late. */
export async function namesOf(at: Visit, ids: readonly (string | null)[]): Promise<NameOf> {
  const calls: { [id: string]: Call } = {}
  for (const id of ids) {
    const read = readOf(id)
    if (id !== null && read !== null) calls[id] = { operation: read.operation, input: { id } }
  }
  const found: { readonly [id: string]: Outcome<unknown> } = await at.ask(calls)
  return (id) => {
    const outcome = found[id ?? '']
    return outcome?.ok === true ? idLink(at, id, readOf(id)?.name(outcome.value)) : idLink(at, id)
  }
}

function readOf(id: string | null): Read | null {
  return READS[id?.split('_')[0] ?? ''] ?? null
}
