// Entry point of the feed of transactions.
export { Feed } from './feed.ts'
export { type FeedPort, feedRoutes } from './routes.ts'
