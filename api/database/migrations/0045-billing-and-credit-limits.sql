-- How far the network's billing amount may be from what a rate of our own makes of the amount, what happens beyond, and what
-- credits without a capture behind them may come to. The defaults are PROGRAM_DEFAULTS.
alter table programs
  add column billing_tolerance_bps    integer not null default 500
    check (billing_tolerance_bps between 0 and 10000),
  add column billing_mismatch_action  text not null default 'take_larger'
    check (billing_mismatch_action in ('decline', 'take_larger')),
  add column credit_limit             jsonb not null
    default '{"per_authorization_cents": 250000, "per_card_per_day_cents": 500000}';
