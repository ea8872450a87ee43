import { test } from 'tap'
import {
  DECLINE_REASONS,
  type DeclineReason,
  outwardReason,
  responseCodeOf,
  TENANT_REASONS,
} from '../../shared/decline-reason.ts'

// The network's code for each reason, and whether a tenant may give the reason.
// biome-ignore format: the columns are read as a table.
const TABLE: { readonly [Reason in DeclineReason]: string } = {
  //                         field 39   a tenant's
  program_suspended:         '62        -',
  program_not_active:        '62        -',
  card_not_found:            '14        -',
  card_not_activated:        '78        -',
  card_suspended:            '62        -',
  card_terminated:           '46        -',
  card_expired:              '54        -',
  cardholder_inactive:       '62        -',
  cardholder_frozen:         '62        -',
  cvc_mismatch:              'N7        -',
  expiry_mismatch:           '54        -',
  currency_blocked:          '57        -',
  merchant_category_blocked: '57        -',
  merchant_blocked:          '57        -',
  merchant_country_blocked:  '62        -',
  limit_per_authorization:   '61        -',
  limit_daily:               '61        -',
  limit_weekly:              '61        -',
  limit_monthly:             '61        -',
  limit_yearly:              '61        -',
  limit_all_time:            '61        -',
  tenant_declined:           '05        yes',
  insufficient_funds:        '51        yes',
  exceeds_limit:             '61        yes',
  exceeds_frequency:         '65        yes',
  merchant_not_allowed:      '57        yes',
  card_paused:               '62        yes',
  suspected_fraud:           '05        yes',
  compliance_blocked:        '05        -',
  not_permitted:             '57        yes',
  duplicate:                 '94        yes',
  invalid_driver:            '05        yes',
  invalid_vehicle:           '05        yes',
  invalid_id:                '05        yes',
  do_not_honor:              '05        yes',
  system_unavailable:        '91        yes',
  never_retry:               '57        yes',
  other:                     '05        yes',
  stand_in_declined:         '05        -',
  duplicate_mismatch:        '94        -',
  card_lost:                 '41        -',
  card_stolen:               '43        -',
  cardholder_verification_required:'62        -',
  pin_incorrect:             '55        -',
  pin_tries_exceeded:        '75        -',
  authentication_required:   '1A        -',
  authentication_failed:     '59        -',
  insecure_entry_method:     '62        -',
  token_inactive:            '62        -',
  card_presence_blocked:     '57        -',
  entry_method_blocked:      '57        -',
  transaction_kind_blocked:  '57        -',
  wallet_blocked:            '62        -',
  schedule_blocked:          '62        -',
  card_single_use_spent:     '57        -',
  fx_rate_unavailable:       '96        -',
  billing_amount_mismatch:   '13        -',
  credit_limit:              '61        -',
  card_testing_suspected:    '05        -',
  original_not_found:        '12        -',
  original_expired:          '05        -',
  original_reversed:         '12        -',
  invalid_amount:            '13        -',
  limit_rolling:             '61        -',
  limit_count:               '65        -',
  stand_in_limit_exceeded:   '61        -',
  network_stand_in_declined: '05        -',
  issuer_overloaded:         '91        -',
}

const REASONS = Object.keys(DECLINE_REASONS) as DeclineReason[]

test('every reason has the network code of the table', (t) => {
  for (const reason of REASONS) {
    const told = responseCodeOf(reason) + (TENANT_REASONS.has(reason) ? ' yes' : ' -')
    t.equal(told, TABLE[reason].replace(/ +/, ' '), reason)
  }
  t.same(Object.keys(TABLE).sort(), [...REASONS].sort())
  t.end()
})

test('four confidential reasons appear as another one to the tenant', (t) => {
  const hidden = REASONS.filter((reason) => outwardReason(reason) !== reason)
  t.same(
    hidden.map((reason) => [reason, outwardReason(reason)]),
    [
      ['cardholder_frozen', 'cardholder_inactive'],
      ['card_testing_suspected', 'do_not_honor'],
      ['suspected_fraud', 'do_not_honor'],
      ['compliance_blocked', 'do_not_honor'],
    ],
  )
  t.end()
})
