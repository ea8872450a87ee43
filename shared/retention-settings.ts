// Settings of how long data is kept: rows of the one table of settings.
import { parseDays, setting } from './setting-values.ts'

export const RETENTION_SETTINGS = {
  SVC_EVENT_RETENTION: setting({
    fallback: '30d',
    about:
      'Retention of events, in whole days from `2d` on; deliveries and attempts are deleted a day later.',
    parse: parseDays,
  }),
  SVC_IDENTITY_RETENTION: setting({
    fallback: '1826d',
    about:
      'Retention of the sealed identity of an erased cardholder, in whole days: the five years that the law against money laundering asks for in the EU.',
    parse: parseDays,
  }),
  SVC_UNMATCHED_RETENTION: setting({
    fallback: '400d',
    about: 'Retention of network messages about unknown cards, in whole days.',
    parse: parseDays,
  }),
}
