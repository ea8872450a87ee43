// The stream of new card transactions.
import { type Route, route } from '../../http/route.ts'
import type { StreamAnswer } from '../../http/stream-answer.ts'
import type { Feed } from './feed.ts'

export interface FeedPort {
  feed: Pick<Feed, 'open' | 'check' | 'close'>
}

export const feedRoutes: readonly Route<FeedPort>[] = [
  route({
    method: 'GET',
    paths: ['/v1/card_transactions/stream'],
    scope: 'read',
    summary:
      'Streams new card transactions as server-sent events: counts of all, and at most 20 of each moment.',
    family: 'card',
    answer: null,
    media: 'text/event-stream',
    run: async ({ principal }, _input, { feed }: FeedPort): Promise<StreamAnswer> => {
      return async (connection) => (await feed.open(principal, connection)).body
    },
  }),
]
