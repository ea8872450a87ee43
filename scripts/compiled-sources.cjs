// Loaded before every script by require-node.cjs: keeps our sources without their types, and the
// compiled code of everything, in node_modules/.cache. Node 22 keeps neither by itself, and a
// process of the API spends a third of its start on the types. What is kept is found by the bytes
// of the source, so a change of a source finds nothing old. Where the folder cannot be written,
// nothing is kept.
'use strict'
const { createHash, randomUUID } = require('node:crypto')
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { enableCompileCache, registerHooks, stripTypeScriptTypes } = require('node:module')
const { join } = require('node:path')
const { fileURLToPath } = require('node:url')

const CACHE = join(__dirname, '../node_modules/.cache')
const UNTYPED = join(CACHE, 'untyped', process.version)
/** The end of a whole file: after a loss of power a name may hold less. */
const WHOLE = '\n// whole\n'

/** The same bytes that Node runs: types become blanks, lines and columns stay. */
function untyped(source) {
  const kept = join(UNTYPED, createHash('sha256').update(source).digest('hex') + '.js')
  const found = read(kept)
  if (found?.endsWith(WHOLE)) return found
  const text = quietly(() => stripTypeScriptTypes(source.toString())) + WHOLE
  keep(kept, text)
  return text
}
module.exports = { untyped }

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** Without the sentence that the function is an experimental one. */
function quietly(work) {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return work()
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Written beside and renamed: processes that start together never read half a file. */
function keep(file, text) {
  try {
    const own = file + '.' + randomUUID()
    writeFileSync(own, text)
    renameSync(own, file)
  } catch {
    // The next process strips it again.
  }
}

try {
  mkdirSync(UNTYPED, { recursive: true })
} catch {
  // A read-only installation.
}
/**
 * The first import of node:http reads all its names, and for these three Node loads its whole
 * fetch: a tenth of the start of an engine. No source takes them from there.
 */
function withoutFetch() {
  const http = process.getBuiltinModule('node:http')
  for (const name of ['CloseEvent', 'MessageEvent', 'WebSocket']) delete http[name]
}

enableCompileCache(join(CACHE, 'compiled'))
registerHooks({
  /** An import of a file of ours names the whole file: nothing is searched for. */
  resolve(specifier, context, next) {
    const { parentURL } = context
    if (specifier === 'node:http') withoutFetch()
    const isOurs = specifier.startsWith('.') && specifier.endsWith('.ts') && parentURL !== undefined
    if (!isOurs) return next(specifier, context)
    return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
    const source = untyped(readFileSync(fileURLToPath(url)))
    return { format: 'module', source, shortCircuit: true }
  },
})
