// The client package as `npm pack` would write it: plain modules, their declarations, receivers.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { isolatedDeclaration, type OxcError, transform } from 'oxc-transform'
import tar from 'tar-stream'

const CLIENT = join(import.meta.dirname, '../../client')
const RECEIVERS = 'receivers'
/** Fixed, so that equal sources make equal bytes; npm uses the same moment. */
const MODIFIED = new Date('1985-10-26T08:15:00Z')
const RELATIVE_SOURCE = /(from "\.\/[^"]+)\.ts"/g

/**
 * The package as a gzipped tar archive; equal sources make equal bytes. Throws an Error that names
 * the file if a source does not compile.
 */
export async function clientPackage(): Promise<Buffer> {
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
    add(name + '.js', await moduleText(source))
    add(name + '.d.ts', await declarationText(source))
  }
  archive.finalize()
  const bytes = Buffer.concat(await Readable.from(archive).toArray())
  return promisify(gzip)(bytes)
}

function read(name: string): string {
  return readFileSync(join(CLIENT, name), 'utf8')
}

async function moduleText(source: string): Promise<string> {
  const { code, errors } = await transform(source, read(source), {
    target: 'es2022',
    typescript: { rewriteImportExtensions: 'rewrite' },
  })
  return compiled(source, code, errors)
}

async function declarationText(source: string): Promise<string> {
  const { code, errors } = await isolatedDeclaration(source, read(source))
  return compiled(source, code.replaceAll(RELATIVE_SOURCE, '$1.js"'), errors)
}

function compiled(source: string, code: string, [problem]: readonly OxcError[]): string {
  if (problem !== undefined) throw new Error('client/' + source + ': ' + problem.message)
  return code
}
