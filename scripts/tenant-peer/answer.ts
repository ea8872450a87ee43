// The demo tenant's answer to an authorization, by the last two digits of its amount.

export type DemoAnswer = { approve: boolean; decline_reason?: string } | 'silence'

/** Approves, except …51 (insufficient funds), …59 (suspected fraud) and …99 (no answer at all). */
export function demoAnswer(amountCents: number): DemoAnswer {
  switch (amountCents % 100) {
    case 51:
      return { approve: false, decline_reason: 'insufficient_funds' }
    case 59:
      return { approve: false, decline_reason: 'suspected_fraud' }
    case 99:
      return 'silence'
    default:
      return { approve: true }
  }
}
