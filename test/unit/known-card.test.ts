import { test } from 'tap'
import type { FactsReader } from '../../engine/facts/reader.ts'
import { KeptLately } from '../../engine/line/kept-lately.ts'
import { knownCard } from '../../engine/line/known-card.ts'
import type { Line, Message } from '../../engine/line/line.ts'
import type { CardFact, ControlsFact } from '../../shared/wire/facts.ts'
import { controlsFact, judgedFacts, limitFact } from '../harness/judged.ts'

const { card: CARD, program, cardholder } = judgedFacts()

interface World {
  facts: { changes: number; looks: number; cards: CardFact[]; own: ControlsFact | null }
  known(message: Partial<Message>): ReturnType<typeof knownCard>
}

/** Facts that count how often somebody looked a card up. */
function world(): World {
  const facts = {
    changes: 1,
    looks: 0,
    cards: [CARD],
    own: null as ControlsFact | null,
    cardByToken(token: string) {
      facts.looks += 1
      return facts.cards.find((card) => card.token === token) ?? null
    },
    cardByFingerprint(environment: string, fingerprint: string) {
      facts.looks += 1
      const is = (card: CardFact): boolean =>
        card.environment === environment && card.fingerprint === fingerprint
      return facts.cards.find(is) ?? null
    },
    cardholder: (id: string) => (id === cardholder.id ? cardholder : null),
    program: () => program,
    controls: (id: string) => (id === CARD.id ? facts.own : null),
  }
  const line = { facts: facts as unknown as FactsReader } as Line
  const unnamed = { environment: 'sandbox', cardToken: null, fingerprint: null } as const
  return { facts, known: (message) => knownCard(line, { ...unnamed, ...message } as Message) }
}

function madeOf(known: ReturnType<typeof knownCard>) {
  if (known === null || known === 'incomplete') throw new Error('a card')
  return known
}

test('a card is looked up once, and again after a change, whoever it was about', (t) => {
  const { facts, known } = world()
  const token = { cardToken: CARD.token }
  const first = madeOf(known(token))
  t.equal(known(token), first)
  t.equal(facts.looks, 1)
  facts.changes += 1
  t.equal(known(token), first, 'nothing of this card is new')
  t.equal(known(token), first)
  t.equal(facts.looks, 2)
  facts.cards = [{ ...CARD, status: 'suspended', version: 2 }]
  facts.changes += 1
  t.match(madeOf(known(token)).record, { cardStatus: 'suspended', cardVersion: 2 })
  facts.own = controlsFact({ id: CARD.id, limits: [limitFact({ filter: null })] })
  facts.changes += 1
  t.match(madeOf(known(token)), {
    isPlain: true,
    record: { controlVersions: [0, 0, facts.own.version] },
  })
  facts.cards = []
  facts.changes += 1
  t.equal(known(token), null)
  t.end()
})

test('one number may be a card of either environment', (t) => {
  const { facts, known } = world()
  facts.cards.push({ ...CARD, id: 'card_live', environment: 'live' })
  const { fingerprint } = CARD
  for (let again = 0; again < 3; again++) {
    t.equal(madeOf(known({ fingerprint })).card.id, CARD.id)
    t.equal(madeOf(known({ fingerprint, environment: 'live' })).card.id, 'card_live')
  }
  t.equal(known({ cardToken: CARD.token, environment: 'live' }), null)
  t.equal(known({ cardToken: fingerprint }), null)
  t.equal(known({}), null)
  t.end()
})

test('a card without its cardholder is incomplete, and is looked for again', (t) => {
  const { facts, known } = world()
  facts.cards = [{ ...CARD, cardholder_id: 'ch_gone' }]
  t.equal(known({ cardToken: CARD.token }), 'incomplete')
  t.equal(known({ cardToken: CARD.token }), 'incomplete')
  t.equal(facts.looks, 2)
  t.end()
})

test('a card with a rolling window, a filter, a zone of its own, a use count or a draft is no plain one', (t) => {
  const plain = (change: Parameters<typeof controlsFact>[0]): boolean => {
    const { facts, known } = world()
    facts.own = controlsFact({ id: CARD.id, ...change })
    return madeOf(known({ cardToken: CARD.token })).isPlain
  }
  t.equal(plain({ limits: [limitFact({ time_zone: program.time_zone })] }), true)
  t.equal(plain({ limits: [limitFact({ time_zone: 'Asia/Tokyo' })] }), false)
  t.equal(
    plain({ limits: [limitFact({ time_zone: 'Asia/Tokyo', interval: 'per_authorization' })] }),
    true,
  )
  t.equal(plain({ limits: [limitFact({ interval: 'rolling', rolling_seconds: 60 })] }), false)
  const filter = { mccs: ['5411'], countries: null, kinds: null, card_present: null }
  t.equal(plain({ limits: [limitFact({ filter })] }), false)
  t.equal(plain({ cancel_after: 3 }), false)
  t.equal(plain({ state: 'draft' }), false)
  t.end()
})

test('what was asked for lately is kept, and no more than twice the bound', (t) => {
  const kept = new KeptLately<number>(2)
  for (const number of [1, 2, 3]) kept.set('n' + number, number)
  t.equal(kept.get('n1'), 1, 'asked for again, it is one of the latest')
  kept.set('n4', 4)
  t.equal(kept.get('n2'), undefined)
  t.same(
    ['n1', 'n3', 'n4'].map((name) => kept.get(name)),
    [1, 3, 4],
  )
  t.end()
})
