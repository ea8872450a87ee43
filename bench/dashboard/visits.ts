// Visits of pages: the time until the last byte, and the bytes that travel.
import { performance } from 'node:perf_hooks'
import type { Reader } from './testbed.ts'

const WARM_VISITS = 20

/** Paths by the name of their rows. The transaction is a declined one: its page explains why. */
export function pathsOf(transactionId: string): { readonly [name: string]: string } {
  return {
    overview: '/overview',
    list: '/transactions',
    'filtered list': '/transactions?status=declined',
    'list by merchant': '/transactions?merchant_name=Corner+shop',
    'unknown merchant': '/transactions?merchant_name=Nowhere',
    'list of a period': '/transactions?created[gte]=2026-01-01&stand_in=true',
    declines: '/declines',
    'stand-in': '/stand_in',
    explain: '/transactions/' + transactionId,
    'search by merchant': '/search?q=Corner+shop',
    'search without result': '/search?q=Nowhere',
    events: '/events',
    live: '/live',
  }
}

/**
 * Milliseconds until the last byte of each visit, one after the other, ascending. The readers take
 * turns. A page with a panel that failed or was late is quick because it gave up: it is a flaw.
 */
export async function visits(
  readers: readonly Reader[],
  path: string,
  { count, flaws }: { count: number; flaws: string[] },
): Promise<number[]> {
  const times: number[] = []
  const problems = new Set<string>()
  for (let visit = 0; visit < WARM_VISITS + count; visit++) {
    const reader = readers[visit % readers.length]
    if (reader === undefined) throw new Error('nobody reads')
    const from = performance.now()
    const { text } = await fetched(reader, reader.root + path)
    if (visit >= WARM_VISITS) times.push(performance.now() - from)
    for (const [, problem = ''] of text.matchAll(/class="problem[^>]*><strong>([^<]*)/g))
      problems.add(problem)
  }
  for (const problem of problems) flaws.push('a panel of ' + path + ' failed: ' + problem)
  return times.toSorted((one, other) => one - other)
}

/** The text of an address, and the kilobytes in which it travelled. */
export async function fetched(
  { origin, cookie }: Reader,
  path: string,
): Promise<{ text: string; kilobytes: number }> {
  const answer = await fetch(origin + path, { headers: { cookie, 'accept-encoding': 'gzip' } })
  if (answer.status !== 200) throw new Error(path + ' answered ' + answer.status)
  const kilobytes = Number(answer.headers.get('content-length')) / 1000
  return { text: await answer.text(), kilobytes }
}

/** Kilobytes of the overview, its style sheet and its scripts, as they travel. */
export async function firstVisit(reader: Reader): Promise<{ [part: string]: number }> {
  const { text, kilobytes } = await fetched(reader, reader.root + '/overview')
  const { text: live } = await fetched(reader, reader.root + '/live')
  const addresses = new Set((text + live).match(/\/assets\/[\w/.-]+/g) ?? [])
  const sizes: { [part: string]: number } = { html: kilobytes, css: 0, scripts: 0 }
  for (const address of addresses) {
    const part = address.endsWith('.css') ? 'css' : 'scripts'
    sizes[part] = (sizes[part] ?? 0) + (await fetched(reader, address)).kilobytes
  }
  return sizes
}

/** Kilobytes of the heaviest of these pages: style sheet and scripts are in the browser by then. */
export async function laterVisit(reader: Reader, paths: readonly string[]): Promise<number> {
  let most = 0
  for (const path of paths)
    most = Math.max(most, (await fetched(reader, reader.root + path)).kilobytes)
  return most
}
