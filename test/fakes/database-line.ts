// A TCP proxy before PostgreSQL that plays its failures: away, hung, or a commit whose answer is
// lost. A hung line keeps every byte and passes it on later, also those of callers that gave up.
import { connect, createServer, type Socket } from 'node:net'
import type { Teardown } from '../harness/postgres.ts'

/** The tag with which the server says that a transaction is committed. */
const COMMITTED = Buffer.from('COMMIT\0')
/** The statement with which a client begins a transaction. */
const BEGIN = Buffer.from('begin ')

export type LineMood = 'open' | 'away' | 'hung'

export interface DatabaseLine {
  /** The database's URL through the line. */
  url: string
  /** Bytes of clients that a hung line keeps. */
  readonly kept: number
  /** Away: connections are reset, new ones too. Open: the kept bytes go on. */
  turn(mood: LineMood): void
  /**
   * Cuts the connection of the commit with this number, from 1 and now on; 0: none. `marks` count
   * commits alone of transactions in which the client sent one of these texts.
   */
  cutAt(commit: number, marks?: readonly string[]): void
  /** True until the commit to cut has come. */
  readonly isArmed: boolean
}

interface Way {
  client: Socket
  upstream: Socket
  /** True where the transaction that runs has sent a mark. */
  isMarked: boolean
  /** Writes that wait for the line to open, in their order. */
  waiting: (() => void)[]
}

export async function openDatabaseLine(t: Teardown, databaseUrl: string): Promise<DatabaseLine> {
  const target = new URL(databaseUrl)
  const ways = new Set<Way>()
  let mood: LineMood = 'open'
  let commits = 0
  let marks: readonly Buffer[] = []
  let kept = 0
  const pass = (way: Way, write: () => void): void => {
    if (mood === 'hung') way.waiting.push(write)
    else write()
  }
  const end = (way: Way): void => {
    ways.delete(way)
    way.client.destroy()
    way.upstream.destroy()
  }
  const server = createServer((client) => {
    if (mood === 'away') return void client.resetAndDestroy()
    const upstream = connect(Number(target.port), target.hostname)
    const way: Way = { client, upstream, isMarked: false, waiting: [] }
    ways.add(way)
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      // The server hears of the end behind the bytes that were sent before it.
      socket.on('close', () => pass(way, () => end(way)))
    }
    client.on('data', (bytes) => {
      if (bytes.includes(BEGIN)) way.isMarked = false
      way.isMarked ||= marks.some((mark) => bytes.includes(mark))
      if (mood === 'hung') kept += bytes.length
      pass(way, () => upstream.write(bytes))
    })
    upstream.on('data', (bytes) => {
      const isCounted = marks.length === 0 || way.isMarked
      if (commits > 0 && isCounted && bytes.includes(COMMITTED)) {
        commits -= 1
        if (commits === 0) return end(way)
      }
      pass(way, () => client.write(bytes))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const way of ways) end(way)
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the line has no port')
  const through = new URL(databaseUrl)
  through.hostname = '127.0.0.1'
  through.port = String(address.port)
  return {
    url: through.href,
    get kept() {
      return kept
    },
    get isArmed() {
      return commits > 0
    },
    turn(next) {
      mood = next
      kept = 0
      if (next === 'away') for (const { client } of ways) client.resetAndDestroy()
      if (next === 'hung') return
      for (const way of ways) for (const write of way.waiting.splice(0)) write()
    },
    cutAt(commit, texts = []) {
      commits = commit
      marks = texts.map((text) => Buffer.from(text))
    },
  }
}
