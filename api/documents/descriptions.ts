// What fields mean, for the reference. The comment above a field in its schema is its description: read from the sources once,
// at start, so that there is one text and it cannot grow old. What a call takes is described where its room writes it down, else
// as the schema of the room's resource says. Fields that every resource has are explained here.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const SCHEMAS = fileURLToPath(new URL('../../shared/schemas/', import.meta.url))
const ROOMS = fileURLToPath(new URL('../resources/', import.meta.url))

/** Where no schema says more. */
const EVERYWHERE: { readonly [field: string]: string } = {
  id: 'The id, for ever the same.',
  object: 'What this is.',
  created: 'When it was made, in Unix seconds.',
  livemode: 'True in live, false in the sandbox.',
  metadata:
    'Your own keys and values; we read nothing from them. A change is merged: null removes a key.',
  external_id: 'Your own id of it, unique among resources of this kind.',
  currency: 'ISO 4217 code, three capital letters.',
  amount_cents: 'A whole number of the currency’s smallest unit.',
  status: 'The state it is in.',
  reason: 'Why, in your words; shown wherever the change is shown.',
  time_zone: 'IANA name of the zone in which days, weeks and months begin.',
  last4: 'The last four digits of the number.',
  mcc: 'The merchant’s category, four digits (ISO 18245).',
  card_id: 'The card.',
  cardholder_id: 'The cardholder.',
  program_id: 'The program.',
  transaction_id: 'The card transaction.',
  limit: 'How many at most, 1 to 100.',
  starting_after:
    'next_cursor of the page before, or an id of the list: the page goes on behind it.',
  ending_before:
    'next_cursor of a page read backward, or an id of the list: the page ends before it.',
  order: 'desc: newest first. asc: oldest first.',
  sort: 'What the list is sorted by; equal values stand in the order of creation.',
  'created[gte]': 'Created at or after: an ISO 8601 date, or date and time with a zone.',
  'created[gt]': 'Created after: an ISO 8601 date, or date and time with a zone.',
  'created[lte]': 'Created at or before: an ISO 8601 date, or date and time with a zone.',
  'created[lt]': 'Created before: an ISO 8601 date, or date and time with a zone.',
  created_after: 'The same as created[gt].',
  data: 'The resources of this page.',
  has_more: 'Whether the list goes on in this direction.',
  next_cursor: 'Where it goes on; null at its end.',
  if_version: 'The version you read: 409 version_conflict where it is not the latest any more.',
}

/** A comment directly above a field of an object literal. */
const NOTED_FIELD = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*\n\s*(?:'([^']+)'|(\w+)):/g
const CONSTANT = /^(?:export )?(?:const|function) (\w+)/gm

export interface Descriptions {
  /** What a field means: as its constant says, else as its file says, else as everywhere; undefined where nothing is said. */
  of(place: { file?: string; constant?: string }, field: string): string | undefined
  /** The file in which a schema is exported. */
  fileOf(constant: string): string | undefined
}

/** Reads the comments of all schemas, and of the routes of every room under the room's name. */
export function readDescriptions(): Descriptions {
  // By the name of the file without ending, of the constant in it, and of the field.
  const notes = new Map<string, string>()
  const files = new Map<string, string>()
  for (const name of readdirSync(SCHEMAS))
    noteFile(notes, files, name.replace('.ts', ''), SCHEMAS + name)
  for (const name of readdirSync(ROOMS)) {
    const parts = readdirSync(ROOMS + name).filter((part) => part.endsWith('routes.ts'))
    for (const part of parts) noteFile(notes, files, name, ROOMS + name + '/' + part)
  }
  const own = notes.get.bind(notes)
  return {
    of: ({ file = '', constant = '' }, field) =>
      own([file, constant, field].join(' ')) ??
      own([file, '', field].join(' ')) ??
      soleNote(notes, file.replace(/s$/, ''), field) ??
      soleNote(notes, file.replace(/s$/, '-input'), field) ??
      EVERYWHERE[field],
    fileOf: (constant) => files.get(constant),
  }
}

/** What a file says of a field by whichever constant; nothing where its constants say different things. */
function soleNote(
  notes: ReadonlyMap<string, string>,
  file: string,
  field: string,
): string | undefined {
  const texts = new Set<string>()
  for (const [place, text] of notes)
    if (place.startsWith(file + ' ') && place.endsWith(' ' + field)) texts.add(text)
  return texts.size === 1 ? [...texts][0] : undefined
}

function noteFile(
  notes: Map<string, string>,
  files: Map<string, string>,
  file: string,
  path: string,
): void {
  const text = readFileSync(path, 'utf8')
  const constants = [...text.matchAll(CONSTANT)].map((match) => ({
    name: match[1] ?? '',
    at: match.index,
  }))
  for (const { name } of constants) if (!files.has(name)) files.set(name, file)
  for (const match of text.matchAll(NOTED_FIELD)) {
    const constant = constants.findLast(({ at }) => at < match.index)?.name ?? ''
    const field = match[2] ?? match[3] ?? ''
    const description = forReaders(match[1] ?? '')
    notes.set([file, constant, field].join(' '), description)
    notes.set([file, '', field].join(' '), description)
  }
}

/** The comment as one line, without what is for us: where a rule stands in the specification, and that we chose it. */
function forReaders(comment: string): string {
  return comment
    .replace(/\s*\n\s*\*\s*/g, ' ')
    .replace(/\b(Spec|DESIGN|[A-Z]+\.md) [\d., and]*\d[.:]?\s*/g, '')
    .replace(/\bChosen: (\w)/g, (_, first: string) => first.toUpperCase())
    .replaceAll('`', '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^[a-z](?=[a-z]* )/, (first) => first.toUpperCase())
}
