// Meters and their events. A meter with a window of a day keeps the newest total of each day.
import { type Form, formIn, integerIn, textIn } from './form.ts'
import type { Meter, MeterEvent } from './objects.ts'
import { invalid, missing } from './problem.ts'
import type { PeerStore } from './store.ts'

const DAY_S = 86_400
const PAST_S_MAX = 35 * DAY_S
const FUTURE_S_MAX = 300
const IDENTIFIER_CHARACTERS_MAX = 100

export function createMeter(store: PeerStore, form: Form): Meter {
  const display_name = textIn(form, 'display_name')
  const event_name = textIn(form, 'event_name')
  if (display_name === null) throw invalid('Missing required param', 'display_name')
  if (event_name === null) throw invalid('Missing required param', 'event_name')
  if (textIn(formIn(form, 'default_aggregation'), 'formula') !== 'sum')
    throw invalid('Invalid formula', 'default_aggregation[formula]')
  if (store.all('meter').some((meter) => meter.event_name === event_name))
    throw invalid('A meter with this event_name exists.', 'event_name')
  const window = textIn(form, 'event_time_window')
  const customerKey = textIn(formIn(form, 'customer_mapping'), 'event_payload_key')
  const valueKey = textIn(formIn(form, 'value_settings'), 'event_payload_key')
  return store.put('meter', {
    ...{ id: store.newId('mtr'), object: 'billing.meter', created: store.nowS, livemode: false },
    ...{ display_name, event_name, status: 'active' },
    event_time_window: window === 'day' || window === 'hour' ? window : null,
    customer_mapping: { type: 'by_id', event_payload_key: customerKey ?? 'stripe_customer_id' },
    default_aggregation: { formula: 'sum' },
    value_settings: { event_payload_key: valueKey ?? 'value' },
  })
}

/** Refuses an identifier of the last 24 hours, and a moment beyond 35 days or 5 minutes ahead. */
export function createMeterEvent(store: PeerStore, form: Form): MeterEvent {
  const event_name = textIn(form, 'event_name') ?? ''
  const meter = store.all('meter').find((one) => one.event_name === event_name)
  if (meter === undefined) throw invalid('No active meter has this event_name.', 'event_name')
  const payload = formIn(form, 'payload')
  const customer = textIn(payload, meter.customer_mapping.event_payload_key) ?? ''
  const value = textIn(payload, meter.value_settings.event_payload_key) ?? ''
  if (store.find('customer', customer) === null) throw missing('customer', customer)
  if (!/^-?\d{1,15}$/.test(value)) throw invalid('Invalid value', 'payload[value]')
  const timestamp = integerIn(form, 'timestamp') ?? store.nowS
  if (timestamp < store.nowS - PAST_S_MAX || timestamp > store.nowS + FUTURE_S_MAX)
    throw invalid('The timestamp is out of range.', 'timestamp', 'timestamp_out_of_range')
  const identifier = textIn(form, 'identifier') ?? store.newId('idf')
  if (identifier.length > IDENTIFIER_CHARACTERS_MAX) throw invalid('Too long', 'identifier')
  const isKnown = store
    .all('meter_event')
    .some((one) => one.identifier === identifier && store.nowS - one.created < DAY_S)
  if (isKnown) throw invalid('An event already exists with this identifier.', 'identifier')
  return store.put('meter_event', {
    ...{ id: store.newId('mev'), object: 'billing.meter_event', created: store.nowS },
    ...{ livemode: false, event_name, identifier, payload: { customer, value }, timestamp },
  })
}

/** Sums of days; of several events of a day the newest counts where the meter has that window. */
export function summariesOf(store: PeerStore, id: string, query: Form): object[] {
  const meter = store.get('meter', id)
  const customer = textIn(query, 'customer') ?? ''
  const [from, until] = [integerIn(query, 'start_time') ?? 0, integerIn(query, 'end_time') ?? 0]
  const days = new Map<number, number>()
  for (const event of store.all('meter_event').reverse()) {
    const { event_name, payload, timestamp } = event
    if (event_name !== meter.event_name || payload['customer'] !== customer) continue
    if (timestamp < from || timestamp >= until) continue
    const day = timestamp - (timestamp % DAY_S)
    const before = meter.event_time_window === 'day' ? 0 : (days.get(day) ?? 0)
    days.set(day, before + Number(payload['value']))
  }
  const byDay = textIn(query, 'value_grouping_window') === 'day'
  const total = [...days.values()].reduce((sum, value) => sum + value, 0)
  const rows: [number, number, number][] = byDay
    ? [...days].sort().map(([day, value]) => [day, day + DAY_S, value])
    : [[from, until, total]]
  return rows.map(([start_time, end_time, aggregated_value]) => ({
    ...{ id: 'mtrusg_' + start_time, object: 'billing.meter_event_summary', livemode: false },
    ...{ aggregated_value, start_time, end_time, meter: id },
  }))
}
