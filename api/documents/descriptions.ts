// Descriptions of fields for the reference. The comment above a field in its schema is its
// description: read from the sources once, at start, so that there is a single text and it cannot
// go stale. A field of an input is described by the comment in its resource's folder, else by the
// schema of that resource, and common words by the vocabulary.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { pascal } from './document.ts'
import { EVERYWHERE, WITHIN } from './vocabulary.ts'

const SCHEMAS = fileURLToPath(new URL('../../shared/schemas/', import.meta.url))
const API = fileURLToPath(new URL('../', import.meta.url))
const DOMAINS = [
  'access',
  'billing',
  'issuing',
  'passes',
  'payments',
  'platform',
  'webhooks',
] as const
/** Resources by folder, where the folder is not called by the name in the paths. */
const NAMES: { readonly [folder: string]: string } = {
  keys: 'api-keys',
  quotes: 'billing',
  invoices: 'billing',
  subscriptions: 'billing',
  'payment-methods': 'billing',
  notices: 'billing',
  collection: 'billing',
  'portal-sessions': 'billing',
  'payment-withdrawals': 'payment-accounts',
  people: 'users',
  clearing: 'clearing-files',
  controls: 'spending-controls',
  feed: 'card-transactions',
  images: 'pass-images',
  scans: 'pass-scans',
  templates: 'pass-templates',
  audit: 'audit-log',
  deliveries: 'webhook-deliveries',
  endpoints: 'webhook-endpoints',
}

/** The names under which the fields of a folder's routes are found. */
function namesOf(folder: string): string[] {
  return [...new Set([folder, NAMES[folder] ?? folder])]
}

/** A comment directly above a field of an object literal. */
const NOTED_FIELD = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*\n\s*(?:'([^']+)'|(\w+)):/g
const CONSTANT = /^(?:export )?(?:const|function) (\w+)/gm
/** The title of a schema, when it differs from the name of its constant. */
const TITLE = /title: '(\w+)'/g
/** A resource is named by its kind. */
const KIND = /object: Type\.Literal\('(\w+)'\)/g
/** A file of schemas whose fields are reused. */
const TAKEN = /from '(?:\.\/|.*\/shared\/schemas\/)([\w-]+)\.ts'/g

/** Place of a field: the file and the constant of its schema, and the field that holds it. */
export interface Place {
  file?: string
  constant?: string
  field?: string
}

export interface Descriptions {
  /**
   * Returns the meaning of a field: the one given within the field that holds it, else by its
   * constant, else by its file, else by the files from which that file takes fields, else the
   * common one; undefined without any.
   */
  of(place: Place, field: string): string | undefined
  /** Returns the file that exports a schema. */
  fileOf(constant: string): string | undefined
}

/**
 * Reads the comments of all schemas, and of the routes of every resource folder under the folder's
 * name.
 */
export function readDescriptions(): Descriptions {
  // Keyed by the file name without ending, the constant in it, and the field.
  const notes = new Map<string, string>()
  const files = new Map<string, string>()
  const taken = new Map<string, Set<string>>()
  const sources = { notes, files, taken }
  for (const name of readdirSync(SCHEMAS))
    noteFile(sources, name.replace('.ts', ''), SCHEMAS + name)
  for (const domain of DOMAINS) {
    const entries = readdirSync(API + domain, { withFileTypes: true })
    for (const { name: folder } of entries.filter((entry) => entry.isDirectory())) {
      const directory = API + domain + '/' + folder
      const parts = readdirSync(directory).filter((part) => part.endsWith('routes.ts'))
      const named = parts.flatMap((part) => namesOf(folder).map((name) => ({ part, name })))
      for (const { part, name } of named) noteFile(sources, name, directory + '/' + part)
    }
  }
  const own = notes.get.bind(notes)
  const texts = textsByField(notes)
  // A file may reuse fields that another file already reuses.
  const takenNote = (file: string, field: string, depth = 2): string | undefined => {
    for (const other of taken.get(file) ?? []) {
      const text = soleNote(texts, other, field)
      if (text !== undefined) return text
    }
    if (depth === 0) return undefined
    for (const other of taken.get(file) ?? []) {
      const text = takenNote(other, field, depth - 1)
      if (text !== undefined) return text
    }
    return undefined
  }
  return {
    of: ({ file = '', constant = '', field: holder = '' }, field) =>
      WITHIN[holder + '.' + field] ??
      own([file, constant, field].join(' ')) ??
      own([file, constant + 'Shape', field].join(' ')) ??
      own([file, '', field].join(' ')) ??
      soleNote(texts, file.replace(/s$/, ''), field) ??
      soleNote(texts, file.replace(/s$/, '-input'), field) ??
      takenNote(file, field) ??
      EVERYWHERE[field],
    fileOf: (constant) => files.get(constant) ?? files.get(constant + 'Shape'),
  }
}

/**
 * The texts of a field in a file, by file and field: `soleNote` asks for them thousands of times.
 */
function textsByField(notes: ReadonlyMap<string, string>): ReadonlyMap<string, Set<string>> {
  const texts = new Map<string, Set<string>>()
  for (const [place, text] of notes) {
    const [file, , field] = place.split(' ')
    const key = file + ' ' + field
    texts.set(key, (texts.get(key) ?? new Set()).add(text))
  }
  return texts
}

/**
 * The text of a field in a file, whichever constant holds it; undefined where its constants say
 * different things.
 */
function soleNote(
  texts: ReadonlyMap<string, ReadonlySet<string>>,
  file: string,
  field: string,
): string | undefined {
  const found = texts.get(file + ' ' + field)
  return found?.size === 1 ? [...found][0] : undefined
}

interface Sources {
  notes: Map<string, string>
  files: Map<string, string>
  taken: Map<string, Set<string>>
}

function noteFile({ notes, files, taken }: Sources, file: string, path: string): void {
  const text = readFileSync(path, 'utf8')
  const others = taken.get(file) ?? new Set()
  for (const [, other = ''] of text.matchAll(TAKEN)) taken.set(file, others.add(other))
  for (const [, title = ''] of text.matchAll(TITLE)) files.set(title, file)
  for (const [, kind = ''] of text.matchAll(KIND))
    if (!files.has(pascal(kind))) files.set(pascal(kind), file)
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

/**
 * Returns the comment as one line, without the parts for maintainers: the citation of the
 * specification, and the mark of our own choice.
 */
function forReaders(comment: string): string {
  return comment
    .replace(/\s*\n\s*\*\s*/g, ' ')
    .replace(/\b(Spec|Authorization) [\d., and]*\d[.:]?\s*/g, '')
    .replace(/\bChosen: (\w)/g, (_, first: string) => first.toUpperCase())
    .replaceAll('`', '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^[a-z](?=[a-z]* )/, (first) => first.toUpperCase())
}
