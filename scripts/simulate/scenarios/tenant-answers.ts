// The tenant is asked and answers: yes, no with and without a reason, or yes to a part.
import { after, approves, declines, repliesWith, says } from '../behaviour.ts'
import { approved, declined, tenantDeclined } from '../expected.ts'
import { authorizations, covering, type Scenario } from '../scenario.ts'

const card = 'scenario_realtime'
const TENANT_DECLINED = tenantDeclined({ reason: 'tenant_declined', code: '05' })
const PARTIAL = says({ approve: true, approved_amount_cents: 600 })

export const TENANT_ANSWERS: readonly Scenario[] = [
  authorizations('tenant_approve', 'The tenant says yes.', {
    card,
    tenant: approves,
    expect: approved({ decidedBy: 'tenant', amountCents: 1234 }),
  }),
  ...covering(
    [44],
    authorizations('tenant_approve_slowly', 'The tenant takes almost all of its time to say yes.', {
      card,
      tenant: after(1300, approves),
      expect: approved({ decidedBy: 'tenant' }),
    }),
  ),
  ...covering(
    [2],
    authorizations(
      'tenant_decline_with_reason',
      'The tenant’s reason reaches the network, except a suspicion of fraud.',
      {
        card,
        tenant: declines('insufficient_funds'),
        expect: tenantDeclined({ reason: 'insufficient_funds', code: '51' }),
      },
      {
        card,
        tenant: declines('suspected_fraud'),
        expect: tenantDeclined({ reason: 'suspected_fraud', outward: 'do_not_honor', code: '05' }),
      },
    ),
  ),
  authorizations(
    'tenant_decline_without_reason',
    'A no without a reason, or with one we do not know, is a plain no.',
    { card, tenant: declines(), expect: TENANT_DECLINED },
    { card, tenant: declines('the moon is full'), expect: TENANT_DECLINED },
    { card, tenant: says({ approve: false, decline_reason: 7 }), expect: TENANT_DECLINED },
  ),
  ...covering(
    [10],
    authorizations(
      'tenant_partial_approval',
      'The tenant approves a part: the terminal can take it, or the purchase is declined.',
      {
        card,
        change: { amount_cents: 1000, partial_approval_capable: true },
        tenant: PARTIAL,
        expect: approved({ decidedBy: 'tenant', amountCents: 600, code: '10' }),
      },
      {
        card,
        change: { amount_cents: 1000, partial_approval_capable: false },
        tenant: PARTIAL,
        expect: declined({
          reason: 'tenant_declined',
          code: '05',
          decidedBy: 'tenant',
          webhook: { outcome: 'answered_approve', approved_amount_cents: 600 },
        }),
      },
    ),
  ),
  authorizations(
    'tenant_repeated_approve',
    'A reply that says both yes and no is a no, in either order.',
    {
      card,
      tenant: repliesWith(200, '{"approve":false,"approve":true}'),
      expect: TENANT_DECLINED,
    },
    {
      card,
      tenant: repliesWith(200, '{"approve":true,"approve":false}'),
      expect: TENANT_DECLINED,
    },
  ),
  authorizations('tenant_extra_fields', 'Bad optional fields are dropped; the yes stands.', {
    card,
    tenant: says({ approve: true, decline_reason: 7, metadata: ['no'], surprise: {} }),
    expect: approved({ decidedBy: 'tenant' }),
  }),
]
