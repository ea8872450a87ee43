// A delivery as the claim hands it to the sender.
import { randomBytes } from 'node:crypto'
import type { ClaimedDelivery, Posting } from '../../api/webhooks/delivery/delivery.ts'

let made = 0

/** The first attempt of an event of the sandbox, unless `known` says otherwise. */
export function claimedDelivery(
  known: Partial<ClaimedDelivery & Posting> & { url: string },
): ClaimedDelivery & Posting {
  made += 1
  return {
    id: 'dlv_' + made,
    eventId: 'evt_' + made,
    resourceId: 'card_1',
    endpointId: 'we_1',
    tenantId: 'ten_1',
    environment: 'sandbox',
    cause: 'event',
    cycle: 1,
    attempt: 1,
    isUntried: true,
    epoch: 1,
    leaseToken: 'lease',
    sendBy: Number.POSITIVE_INFINITY,
    body: Buffer.from('{"id":"evt_' + made + '",  "type":"card.activated"}'),
    secrets: ['whsec_' + randomBytes(32).toString('base64')],
    ...known,
  }
}
