// Entry point of cards.
export { CARD_REVEAL_BODY, registerCardReveals } from './reveal.ts'
export { type CardPorts, cardRoutes } from './routes.ts'
export { markParcel, shipCard } from './shipping.ts'
export { type FraudSuspension, suspendForFraud } from './suspend-for-fraud.ts'
