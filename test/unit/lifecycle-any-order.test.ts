import { test } from 'tap'
import { windowMismatch } from '../../engine/state/decision-state.ts'
import { MESSAGE_KINDS } from '../../shared/schemas/network-message.ts'
import { controlsConfig, limitConfig } from '../harness/judged.ts'
import { LineRig } from '../harness/line-rig.ts'
import { fc } from '../harness/properties.ts'
import { Ledger } from '../simulation/ledger.ts'

const steps = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        what: fc.constant('send' as const),
        kind: fc.constantFrom(...MESSAGE_KINDS),
        about: fc.nat({ max: 3 }),
        cents: fc.nat({ max: 900 }),
        final: fc.boolean(),
        approved: fc.boolean(),
        names: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('again' as const), which: fc.nat() }) },
    {
      weight: 1,
      arbitrary: fc.record({ what: fc.constant('wait' as const), hours: fc.nat({ max: 90 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ what: fc.constantFrom('journal' as const, 'snapshot' as const) }),
    },
  ),
  { minLength: 5, maxLength: 40 },
)

test('messages of every kind in any order have one effect each, and windows follow', (t) => {
  const limits = [
    limitConfig({ amount_cents: 2000 as never, count: 5 }),
    limitConfig({
      id: 'lim_r',
      interval: 'rolling',
      rolling_seconds: 40_000,
      amount_cents: 2500 as never,
    }),
  ]
  fc.assert(
    fc.property(steps, (played) => {
      const rig = new LineRig({ controls: [controlsConfig({ limits })] })
      const sent: { message: ReturnType<LineRig['message']>; text: string }[] = []
      for (const step of played) {
        switch (step.what) {
          case 'wait':
            rig.passDays(step.hours / 24)
            break
          case 'journal':
          case 'snapshot':
            rig.restart(step.what)
            break
          case 'again': {
            const one = sent[step.which % Math.max(1, sent.length)]
            const again = one === undefined ? undefined : rig.send(one.message.kind, one.message)
            // A request that is too old by now is refused; every other one is answered as before.
            if (again?.status === 200 && again.text !== one?.text) return false
            break
          }
          default: {
            const nothing = /_(verification|inquiry)$/.test(step.kind)
            const about = 'n-' + step.about
            const names = step.names && step.kind.startsWith('refund')
            const message = rig.message(step.kind, {
              network_transaction_id: names ? 'r-' + sent.length : about,
              ...(names && { original_network_transaction_id: about }),
              amount_cents: nothing ? 0 : step.cents,
              final: step.final,
              ...(step.kind === 'advice' ? { advice: { approved: step.approved } } : {}),
            })
            const { status, text } = rig.send(step.kind, message)
            if (status !== 200) return false
            sent.push({ message, text })
          }
        }
      }
      const ledger = new Ledger()
      for (const entry of rig.entries()) ledger.apply(entry)
      t.same(ledger.violations, [])
      t.equal(ledger.difference(rig.state) ?? windowMismatch(rig.state), null)
      const decided = rig.entries().filter(({ kind }) => kind === 'decision')
      return decided.length === sent.length
    }),
    { numRuns: 150 },
  )
  t.end()
})
