// Tables that deploy/postgres/history.sql closes to the role of a process, against the statements
// of the code that the process loads: a statement about a closed table would fail in production.
import { dirname, join, normalize } from 'node:path'
import { test } from 'tap'
import { deployText } from '../harness/deploy-files.ts'
import { SOURCES } from './sources.ts'

/** The parts that run as each role; the api hands its payments to the engine link. */
const ENTRIES = {
  svc_link: ['api/engine-link/link.ts', 'api/payments/payments/apply-entries.ts'],
  svc_dispatcher: ['api/dispatcher.ts'],
  svc_settler: ['api/payments/settler/main.ts'],
} as const

const LOADS =
  /^(?:import|export)(?! type\b) *(?:[\w*{][^'"]*?from )?'(\.[^']+)'|import\('(\.[^']+)'\)|new URL\('(\.[^']+\.ts)'/gm
const BY_PATH = new Map(SOURCES.map((source) => [source.path, source]))

/** Paths of everything that a file loads, itself included; imports of types load nothing. */
function loadedBy(entries: readonly string[]): ReadonlySet<string> {
  const loaded = new Set<string>()
  const waiting = [...entries]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const source = BY_PATH.get(path)
    if (source === undefined || loaded.has(path)) continue
    loaded.add(path)
    for (const [, one, two, three] of source.text.matchAll(LOADS))
      waiting.push(normalize(join(dirname(path), one ?? two ?? three ?? '')))
  }
  return loaded
}

/** The tables that the file closes to a role: its constants, put together. */
function closedTo(role: string): string[] {
  const text = deployText('postgres/history.sql').replaceAll(/'\s*\n\s*'/g, '')
  const constants = new Map(
    [...text.matchAll(/(\w+) constant text := '([^']*)'/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  )
  const [, parts = ''] =
    new RegExp("'" + role + "', ((?:\\w+|'[^']*'|\\s*\\|\\|\\s*)+)").exec(text) ?? []
  return parts
    .split('||')
    .map((part) => part.trim())
    .map((part) => (part.startsWith("'") ? part.replaceAll("'", '') : (constants.get(part) ?? '')))
    .join('')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

test('no process sends a statement about a table that is closed to its role', (t) => {
  for (const [role, entries] of Object.entries(ENTRIES)) {
    const tables = closedTo(role)
    t.ok(tables.length > 5, role + ' has ' + tables.length + ' closed tables')
    const names = new RegExp(
      '\\b(?:from|join|into|update|only|using|table:?)\\s+[\'"]?(' +
        tables.join('|') +
        ')\\b|' +
        '[\'"`](' +
        tables.join('|') +
        ')[\'"`]',
      'i',
    )
    const loaded = loadedBy(entries)
    t.ok(loaded.size > 50, role + ' loads ' + loaded.size + ' files')
    const named = [...loaded].flatMap((path) => {
      const found = names.exec(BY_PATH.get(path)?.text ?? '')
      return found === null ? [] : [path + ': ' + found[0]]
    })
    t.same(named, [], role)
  }
  t.end()
})
