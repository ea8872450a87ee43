// A file of exchange rates: a pair and its rate a line, or a document as the API takes it.
import { readFileSync } from 'node:fs'
import type { Document } from './caller.ts'

const BYTES_MAX = 65_536
const LINE = /^([A-Z]{3})[/,;]([A-Z]{3})[,;]([0-9.]+)$/

/** The descriptor of the standard input, which `-` names. */
const INPUT = 0

/** Fields of the call; the API checks them. Throws a sentence that names the line at fault. */
export function ratesIn(path: string): Document {
  const text = textOf(path)
  if (/^\s*[{[]/.test(text)) return documentIn(text, path)
  const rates = text.split(/\r?\n/).flatMap((line, index) => {
    const bare = line.replaceAll(/[\s"]/g, '')
    if (bare === '' || bare.startsWith('#') || /^pair[,;]rate$/i.test(bare)) return []
    const [, first, second, rate] = LINE.exec(bare) ?? []
    if (rate === undefined)
      throw new Error(path + ', line ' + (index + 1) + ' is no rate such as EUR/USD,1.0850.')
    return [{ pair: first + '/' + second, rate }]
  })
  return { rates }
}

function textOf(path: string): string {
  const text = contentOf(path)
  if (text.length > BYTES_MAX) throw new Error(path + ' has more than 64 KB.')
  return text.replace(/^\uFEFF/, '')
}

function contentOf(path: string): string {
  try {
    return readFileSync(path === '-' ? INPUT : path, 'utf8')
  } catch {
    throw new Error(path + ' cannot be read.')
  }
}

function documentIn(text: string, path: string): Document {
  try {
    const read: unknown = JSON.parse(text)
    return Array.isArray(read) ? { rates: read } : (read as Document)
  } catch {
    throw new Error(path + ' holds no JSON.')
  }
}
