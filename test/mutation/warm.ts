// A separate process that asks tests about one mutant after the other. It loads the project's files
// afresh for each, so that a mutant runs as in a new process; packages and the stripped text of our
// sources stay.
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import type { Answer, Question } from './ask.ts'
import { countRuns, type Ranges } from './reach.ts'
import { firstFailure } from './warm-tap.ts'

const WATCH_EVERY_MS = 50
const directory = process.cwd()
const stripped = new Map<string, string>()
let round = 0
let mutated = ''
let answered = true
let cpuMsBefore = 0

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'tap') return next(import.meta.resolve('./warm-tap.ts'), context)
    const found = next(specifier, context)
    const ours = found.url.startsWith('file:') && !found.url.includes('/node_modules/')
    // This file and its own imports were loaded before the first round.
    return ours && round > 0 && !found.url.endsWith('/warm-tap.ts')
      ? { ...found, url: found.url + '?' + round }
      : found
  },
  load(url, context, next) {
    if (!/\.ts\?\d+$/.test(url)) return next(url, context)
    return { format: 'module', source: sourceOf(fileURLToPath(url)), shortCircuit: true }
  },
})

function sourceOf(path: string): string {
  const known = path === mutated ? undefined : stripped.get(path)
  if (known !== undefined) return known
  const text = stripTypeScriptTypes(readFileSync(path, 'utf8'))
  if (path !== mutated) stripped.set(path, text)
  return text
}

/**
 * Processor time detects a mutant that loops for ever; on a busy machine elapsed time would
 * mislead. Only another thread still runs then, and it ends the process.
 */
const watch = new Worker(
  `const { parentPort } = require('node:worker_threads')
   let max = Infinity
   parentPort.on('message', (ms) => { max = process.cpuUsage().user / 1000 + ms })
   setInterval(() => {
     if (process.cpuUsage().user / 1000 > max) process.kill(process.pid, 'SIGKILL')
   }, ${WATCH_EVERY_MS})`,
  { eval: true },
)
watch.unref()

// A fixed seed makes runs equal, and the smallest example is of no interest.
fc.configureGlobal({ seed: 1, endOnFailure: true })

async function failureOf({ test }: Question): Promise<string | null> {
  await import(pathToFileURL(join(directory, test)).href)
  return firstFailure()
}

/** Once per question: a failed test may go on, and its later results do not matter. */
function answer(failure: string | null, runs: Ranges | null = null): void {
  if (answered) return
  answered = true
  watch.postMessage(Infinity)
  process.channel?.ref()
  const bytes = process.memoryUsage().rss
  const said: Answer = { failure, cpuMs: cpuMs() - cpuMsBefore, runs, bytes }
  process.send?.(said)
}

function cpuMs(): number {
  return process.cpuUsage().user / 1000
}

async function ask(question: Question): Promise<void> {
  round += 1
  answered = false
  mutated = join(directory, question.path)
  watch.postMessage(question.cpuMsMax)
  // A test that waits for ever leaves nothing to do, unless the channel to the parent counts.
  process.channel?.unref()
  const counted = question.whereItRuns ? countRuns(pathToFileURL(directory).href) : null
  cpuMsBefore = cpuMs()
  const failure = await failureOf(question)
  answer(failure, counted?.stop())
}

process.on('uncaughtException', (error) => answer(String(error)))
process.on('beforeExit', () => answer('waits for ever'))
process.on('message', (question: Question) => {
  ask(question).catch((error: unknown) => answer(String(error)))
})
