// The thread that makes the client package and posts its bytes: plain modules, their declarations,
// receivers, as `npm pack` would write them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { parentPort } from 'node:worker_threads'
import { gzip } from 'node:zlib'
import tar from 'tar-stream'
import ts from 'typescript'

const CLIENT = join(import.meta.dirname, '../../client')
const RECEIVERS = 'receivers'
/** Fixed, so that equal sources make equal bytes; npm uses the same moment. */
const MODIFIED = new Date('1985-10-26T08:15:00Z')
const RELATIVE_SOURCE = /(from ['"]\.\/[^'"]+)\.ts(['"])/g
const COMPILATION: ts.TranspileOptions = {
  reportDiagnostics: true,
  compilerOptions: {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    rewriteRelativeImportExtensions: true,
  },
}
const DECLARATIONS = { declaration: true, isolatedDeclarations: true }

async function packed(): Promise<Buffer> {
  const archive = tar.pack()
  const add = (name: string, text: string): void => {
    archive.entry({ name: 'package/' + name, mtime: MODIFIED }, text)
  }
  for (const name of ['package.json', 'README.md']) add(name, read(name))
  for (const name of readdirSync(join(CLIENT, RECEIVERS)).toSorted())
    add(RECEIVERS + '/' + name, read(RECEIVERS + '/' + name))
  const sources = readdirSync(CLIENT).filter((name) => name.endsWith('.ts'))
  for (const source of sources.toSorted()) {
    const name = 'dist/' + source.slice(0, -'.ts'.length)
    add(name + '.js', moduleText(source))
    add(name + '.d.ts', declarationText(source))
  }
  archive.finalize()
  const bytes = Buffer.concat(await Readable.from(archive).toArray())
  return promisify(gzip)(bytes)
}

function read(name: string): string {
  return readFileSync(join(CLIENT, name), 'utf8')
}

function moduleText(source: string): string {
  return compiled(source, ts.transpileModule(read(source), { ...COMPILATION, fileName: source }))
}

function declarationText(source: string): string {
  const compilerOptions = { ...COMPILATION.compilerOptions, ...DECLARATIONS }
  const options = { ...COMPILATION, compilerOptions, fileName: source }
  const output = ts.transpileDeclaration(read(source), options)
  return compiled(source, output).replaceAll(RELATIVE_SOURCE, '$1.js$2')
}

function compiled(source: string, { outputText, diagnostics = [] }: ts.TranspileOutput): string {
  const [problem] = diagnostics
  if (problem === undefined) return outputText
  throw new Error(
    'client/' + source + ': ' + ts.flattenDiagnosticMessageText(problem.messageText, ' '),
  )
}

parentPort?.postMessage(await packed())
