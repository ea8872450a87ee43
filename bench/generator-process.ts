// The process that sends. Its parent orders it to make requests and then to send them; it answers
// each order once.
import { type Pace, send } from './generator/paces.ts'
import { makeInTime, type Requests } from './generator/requests.ts'
import type { Order, Reply } from './sender.ts'

let requests: Buffer[] = []

async function obey(order: Order<Requests, Pace>): Promise<Reply> {
  if ('make' in order) {
    requests = []
    requests = await makeInTime(order.make)
    return { made: requests.length }
  }
  const tally = await send(order.send, requests)
  return {
    sent: {
      seconds: tally.seconds,
      answers: Object.fromEntries(tally.answers),
      latency: tally.latency.encoded(),
      lateness: tally.lateness.encoded(),
      senderShare: tally.cpuUs / 1e6 / tally.seconds,
      all: tally.all,
      missing: tally.missing,
      unanswered: tally.unanswered,
    },
  }
}

process.on('message', (order) => {
  obey(order as Order<Requests, Pace>).then(
    (reply) => process.send?.(reply),
    (error) => process.send?.({ failed: String(error) } satisfies Reply),
  )
})
process.on('disconnect', () => process.exit(0))
