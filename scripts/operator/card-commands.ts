// Commands with which an operator reports the making and the shipment of physical cards.
import type { Command } from './caller.ts'
import { fields } from './show.ts'

const CARDS = '/operator/v1/cards'

function text(about: string) {
  return { kind: 'text', required: true, about } as const
}

function tell(verb: 'deliver' | 'return'): Command['run'] {
  return (call, id) => call.send('POST', CARDS + '/' + id + '/' + verb)
}

export const CARD_COMMANDS: readonly Command[] = [
  {
    words: 'cards ship',
    names: 'CARD',
    about: 'A physical card was handed to the carrier.',
    fields: {
      carrier: text('name of the carrier'),
      'tracking-number': text('tracking number of the carrier; the tenant reads it'),
    },
    run: (call, id, given) => call.send('POST', CARDS + '/' + id + '/ship', given),
    show: fields,
  },
  {
    words: 'cards deliver',
    names: 'CARD',
    about: 'The card has reached its address.',
    fields: {},
    run: tell('deliver'),
    show: fields,
  },
  {
    words: 'cards return',
    names: 'CARD',
    about: 'The card has come back; it may be sent again.',
    fields: {},
    run: tell('return'),
    show: fields,
  },
]
