// The processor's meters: a mirror of our usage on which no price hangs. A meter keeps the newest
// total of each day, hence a total may be sent again.
import type Stripe from 'stripe'
import type { Processor } from './processor.ts'
import { ListOf, Meter, MeterEvent, MeterSummary, shaped } from './shapes.ts'
import type { StripeCaller } from './stripe.ts'

const PAGE = 100
const CUSTOMER_FIELD = 'stripe_customer_id'
const VALUE_FIELD = 'value'

export function meterCalls({ run }: StripeCaller) {
  const ids = new Map<string, string>()
  const ensureMeter = async (stripe: Stripe, eventName: string): Promise<string> => {
    const known = ids.get(eventName)
    if (known !== undefined) return known
    const { data } = shaped(ListOf(Meter), await stripe.billing.meters.list({ limit: PAGE }))
    for (const { id, event_name } of data) ids.set(event_name, id)
    const found = ids.get(eventName)
    if (found !== undefined) return found
    const sent = {
      ...{ display_name: eventName, event_name: eventName, event_time_window: 'day' as const },
      default_aggregation: { formula: 'sum' as const },
      customer_mapping: { event_payload_key: CUSTOMER_FIELD, type: 'by_id' as const },
      value_settings: { event_payload_key: VALUE_FIELD },
    }
    const options = { idempotencyKey: 'svc-meter-' + eventName }
    const { id } = shaped(Meter, await stripe.billing.meters.create(sent, options))
    ids.set(eventName, id)
    return id
  }
  return {
    sendTotal: ({ eventName, customer, day, total, identifier }) =>
      run(async (stripe) => {
        await ensureMeter(stripe, eventName)
        const payload = { [CUSTOMER_FIELD]: customer, [VALUE_FIELD]: String(total) }
        const sent = { event_name: eventName, payload, identifier, timestamp: day }
        const made = await stripe.billing.meterEvents.create(sent, { idempotencyKey: identifier })
        shaped(MeterEvent, made)
        return null
      }),
    dayTotals: ({ eventName, customer, fromS, untilS }) =>
      run(async (stripe) => {
        const id = await ensureMeter(stripe, eventName)
        const answer = await stripe.billing.meters.listEventSummaries(id, {
          ...{ customer, start_time: fromS, end_time: untilS, limit: PAGE },
          value_grouping_window: 'day',
        })
        const { data } = shaped(ListOf(MeterSummary), answer)
        return new Map(data.map((row) => [row.start_time, row.aggregated_value]))
      }),
  } satisfies Partial<Processor>
}
