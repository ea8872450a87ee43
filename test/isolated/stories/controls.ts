// Controls with a memory: the number and the places of uses of a card, its life before it was
// replaced, and the verdict of a draft.
import { ownControls, ownLimit } from '../config.ts'
import { anotherCard, approves, declines, type IsolatedStory, ownStory } from '../stage.ts'

const DAY_MS = 24 * 3_600_000
const NIGHT = Date.UTC(2027, 3, 5, 22)
const MIDNIGHT = Date.UTC(2027, 3, 6)
const SPENT = declines('card_single_use_spent', '57')
const BLOCKED = declines('merchant_blocked', '57')

export const ISOLATED_CONTROLS: readonly IsolatedStory[] = [
  ownStory({
    name: 'own_single_use',
    story:
      'A card of single use pays once up to its amount; a decline uses nothing, and a year later it is still spent.',
    at: NIGHT,
    async play(stage) {
      await stage.push(ownControls({ single_use: { mode: 'max', amount_cents: 5000 } }))
      await stage.send({ amount_cents: 5001 }, declines('limit_per_authorization', '61'))
      const paid = await stage.send({ amount_cents: 4000 }, approves(4000))
      await stage.send({ amount_cents: 1 }, SPENT)
      const more = { kind: 'incremental', amount_cents: 1000 } as const
      await stage.follow(paid, more, approves(1000))
      const tooMuch = declines('limit_per_authorization', '61')
      await stage.follow(paid, { ...more, amount_cents: 1 }, tooMuch)
      await stage.follow(paid, { kind: 'capture', amount_cents: 5000 })
      const events = ['authorized', 'authorized', 'declined', 'captured']
      await stage.shows(paid, { status: 'captured', sums: { captured_cents: 5000 } }, ...events)
      await stage.pass(NIGHT + 366 * DAY_MS)
      await stage.send({ amount_cents: 1 }, SPENT)
    },
  }),
  ownStory({
    name: 'own_merchant_lock',
    story: 'A locked card belongs to the merchant of its first approval, days later too.',
    at: NIGHT,
    async play(stage) {
      const limits = [ownLimit({ interval: 'per_authorization', amount_cents: 2000 })]
      await stage.push(ownControls({ merchant_lock: true, limits }))
      const [mine, other] = [{ merchant: { id: 'merch_1' } }, { merchant: { id: 'merch_2' } }]
      // A decline locks nothing.
      const over = declines('limit_per_authorization', '61')
      await stage.send({ ...other, amount_cents: 2001 }, over)
      const first = await stage.send({ ...mine, amount_cents: 2000 }, approves())
      await stage.send({ ...other, amount_cents: 1 }, BLOCKED)
      await stage.follow(first, { kind: 'reversal', amount_cents: 2000 })
      await stage.pass(MIDNIGHT + 30 * DAY_MS)
      await stage.send({ ...mine, amount_cents: 1 }, approves())
      const blocked = await stage.send({ ...other, amount_cents: 1 }, BLOCKED)
      const looked = (await stage.history()).looked(blocked.message.id, 'merchant_lock')
      stage.check('lock', [{ merchant_id: 'merch_2', locked_to: 'merch_1' }], looked)
    },
  }),
  ownStory({
    name: 'own_cancel_after',
    story: 'A control of three payments lets three pass on three days, and none on the fourth.',
    at: NIGHT,
    async play(stage) {
      await stage.push(ownControls({ cancel_after: 3 }))
      for (let day = 0; day < 3; day++) {
        await stage.pass(NIGHT + day * DAY_MS)
        const sent = await stage.send({}, approves())
        const looked = (await stage.history()).looked(sent.message.id, 'uses_left')
        stage.check('day ' + day, [{ uses_before: day, cancel_after: 3 }], looked)
        await stage.follow(sent, { kind: 'capture', amount_cents: sent.message.amount_cents })
      }
      await stage.pass(NIGHT + 3 * DAY_MS)
      await stage.send({}, SPENT)
    },
  }),
  ownStory({
    name: 'own_replacement',
    story:
      'A replaced card goes on with what was spent of the old one’s limit, until its window ends.',
    at: NIGHT,
    async play(stage) {
      const limits = [ownLimit({ amount_cents: 3000 })]
      await stage.push(ownControls({ limits }))
      const old = await stage.send({ amount_cents: 2000 }, approves())
      const { card } = stage.engine
      const { configRecord, by } = anotherCard(stage.engine, 'new', { windows_id: card.windows_id })
      const subject = { id: configRecord.id, scope: 'card', version: 1 } as const
      await stage.push(
        { ...card, version: 2, status: 'terminated' },
        configRecord,
        ownControls({ limits }, subject),
      )
      await stage.send({ amount_cents: 1 }, declines('card_terminated', '46'))
      const over = declines('limit_daily', '61')
      const first = await stage.send({ card: by, amount_cents: 1001 }, over)
      await stage.counted(first, { used_before: 2000, requested: 1001 })
      // A reversal on the old card frees the amount for the new one.
      await stage.follow(old, { kind: 'reversal', amount_cents: 500 })
      const rest = await stage.send({ card: by, amount_cents: 1500 }, approves(1500))
      await stage.counted(rest, { used_before: 1500 })
      await stage.pass(MIDNIGHT)
      const next = await stage.send({ card: by, amount_cents: 3000 }, approves())
      await stage.counted(next, { used_before: 0 })
    },
  }),
  ownStory({
    name: 'own_draft',
    story:
      'A draft declines nothing and says what it would have, in windows of its own that end at midnight too.',
    at: NIGHT,
    async play(stage) {
      const draft = ownControls({
        id: 'ctl_draft',
        state: 'draft',
        limits: [ownLimit({ amount_cents: 1000 })],
      })
      await stage.send({ amount_cents: 900 }, approves())
      await stage.push(draft)
      const would = (reason: string | null) => ({
        decision: {
          shadow: [{ control_id: 'ctl_draft', approve: reason === null, decline_reason: reason }],
        },
      })
      // A control counts from its creation, not earlier payments.
      const first = await stage.send({ amount_cents: 600 }, approves())
      await stage.shows(first, would(null), 'authorized')
      const second = await stage.send({ amount_cents: 600 }, approves())
      await stage.shows(second, { status: 'authorized', ...would('limit_daily') }, 'authorized')
      const small = await stage.send({ amount_cents: 400 }, approves())
      await stage.shows(small, would(null), 'authorized')
      await stage.pass(MIDNIGHT)
      const whole = await stage.send({ amount_cents: 1000 }, approves())
      await stage.shows(whole, would(null), 'authorized')
      const last = await stage.send({ amount_cents: 1 }, approves())
      await stage.shows(last, would('limit_daily'), 'authorized')
    },
  }),
]
