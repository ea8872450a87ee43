// Load from a process of its own: the sender must not take the time of the measured server or of
// its peer. It makes and signs its requests before the clock starts. Latencies count from the
// intended send time, so a server that stands still is charged for every request that was due
// meanwhile.
import { rounded } from './figures.ts'
import type { Pace } from './generator/paces.ts'
import type { Requests } from './generator/requests.ts'
import { type Place, type Sender, type Sent, startSender } from './sender.ts'

/** A sender that is busier than this measures itself. */
export const SENDER_SHARE_MAX = 0.8

export type Load = Omit<Pace, Optional> & Partial<Pick<Pace, Optional>>
type Optional = 'warmSeconds' | 'repeats' | 'links'

/** A generator of requests. Each is sent once; making one takes about 8 µs. */
export type Generator = Sender<Requests, Load>

const PROCESS = new URL('generator-process.ts', import.meta.url)

/** One process for many loads. */
export function startGenerator(place?: Place): Generator {
  const { make, send, stop } = startSender<Requests, Pace>(PROCESS, 'the generator', place)
  return {
    make,
    send: (load) => send({ warmSeconds: 0, repeats: false, links: null, ...load }),
    stop,
  }
}

/** Good answers a second. */
export function perSecond({ answers, seconds }: Pick<Sent, 'answers' | 'seconds'>): number {
  return ((answers['200'] ?? 0) + (answers['201'] ?? 0)) / seconds
}

/** Returns why the figures prove nothing about the server; empty if they are valid. */
export function flawsOf(
  name: string,
  { answers, senderShare, missing, unanswered }: Sent,
): string[] {
  const flaws = Object.entries(answers)
    .filter(([status]) => status !== '200' && status !== '201')
    .map(([status, count]) =>
      status === '0'
        ? name + ' broke ' + count + ' connections'
        : name + ' answered ' + status + ' ' + count + ' times',
    )
  if (unanswered > 0) flaws.push(name + ' owed ' + unanswered + ' answers long after the end')
  if (missing > 0) flaws.push(name + ': ' + missing + ' requests had not been made')
  if (senderShare > SENDER_SHARE_MAX)
    flaws.push(name + ': the sender was busy for ' + rounded(senderShare) + ' of its processor')
  return flaws
}
