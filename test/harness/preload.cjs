// Comes first in every test file (.taprc) and in every process that one starts (NODE_OPTIONS), so that they begin as quickly as
// the service does in production: nothing of the test runner is in them, and what was stripped of its types once is kept.
'use strict'
const asyncHooks = require('node:async_hooks')
const { createHash } = require('node:crypto')
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const Module = require('node:module')
const { join } = require('node:path')
const { isMainThread } = require('node:worker_threads')

withoutRunner()
const cache = process.env.NODE_COMPILE_CACHE
if (cache !== undefined) keepStripped(join(cache, 'stripped'))

/**
 * For the coverage that we do not ask for, the runner puts a thread between each import and its file, in the test and in
 * whatever process comes of it, and handles their signals: that took half of the time of every start.
 */
function withoutRunner() {
  Module.register = () => undefined
  // Where this stands already, the runner leaves `spawn` as it is.
  const wrapped = Symbol.for('process-on-spawn@*:singletonId')
  Object.defineProperty(globalThis, wrapped, { value: { version: 1, listeners: [] } })
  // Without its record of what each promise came of, an error that nobody caught still fails the file, by ending it.
  asyncHooks.createHook = () => ({ enable: () => undefined, disable: () => undefined })
  Module.syncBuiltinESMExports()
  if (isMainThread) process.env.NODE_OPTIONS = '--require=' + JSON.stringify(__filename)
}

/**
 * Node 22 keeps compiled code, but strips types anew in every process. Positions stay: types become spaces. Our imports name
 * their files, so nothing is looked for either.
 */
function keepStripped(directory) {
  mkdirSync(directory, { recursive: true })
  Module.registerHooks({
    resolve(name, context, next) {
      if (!name.startsWith('.') || !name.endsWith('.ts')) return next(name, context)
      return { url: new URL(name, context.parentURL).href, format: 'module', shortCircuit: true }
    },
    load(url, context, next) {
      if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
      const text = readFileSync(new URL(url), 'utf8')
      const source = strippedIn(directory, text) ?? keep(directory, text)
      return { format: 'module', source, shortCircuit: true }
    },
  })
}

function strippedIn(directory, text) {
  try {
    return readFileSync(pathIn(directory, text), 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw error
  }
}

function keep(directory, text) {
  const source = stripped(text)
  const path = pathIn(directory, text)
  const draft = path + '.' + process.pid
  writeFileSync(draft, source)
  renameSync(draft, path)
  return source
}

/** Node would say on the standard error of each process that this is experimental; tests read what a process says there. */
function stripped(text) {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return Module.stripTypeScriptTypes(text)
  } finally {
    process.emitWarning = emitWarning
  }
}

function pathIn(directory, text) {
  return join(directory, createHash('sha256').update(text).digest('hex'))
}
