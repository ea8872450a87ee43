// Entry point of quotes.

export { quoteRoutes } from './routes.ts'
export { QUOTE_MOVES } from './states.ts'
export { findQuote, saveQuoteMove } from './store.ts'
export { quoteStatusAt } from './view.ts'
