-- Programs, cardholders, cards, tokens, spending controls, card transactions, disputes, clearing.

create table programs (
  id                       text primary key,
  tenant_id                text not null references tenants,
  environment              text not null check (environment in ('sandbox', 'live')),
  name                     text not null,
  status                   text not null check (status in ('pending', 'active', 'suspended')),
  realtime                 boolean not null default false,
  endpoint_id              text references webhook_endpoints,
  stand_in                 text not null default 'controls' check (stand_in in ('controls', 'decline')),
  time_zone                text not null default 'UTC',
  created_at               bigint not null,
  version                  bigint not null default 1,
  stand_in_policy          jsonb,
  fraud_rules              jsonb not null
    default '[
  {"name": "card_testing", "state": "draft", "count": 10, "seconds": 60, "amount_cents": 500},
  {"name": "cvc_failures", "state": "draft", "count": 5, "seconds": 3600, "amount_cents": null},
  {"name": "pin_failures", "state": "draft", "count": 5, "seconds": 3600, "amount_cents": null}
]',
  hold_expiry              jsonb not null default '[]',
  hold_adjustments         jsonb not null default '[]',
  fx_margin_bps            integer not null default 0 check (fx_margin_bps between 0 and 10000),
  external_id              text,
  metadata                 jsonb not null default '{}',
  -- Default currency of new cards.
  currency                 text check (currency ~ '^[A-Z]{3}$'),
  suspended_by             text check (suspended_by in ('regulator', 'sponsor_bank', 'provider_risk')),
  suspend_reason           text,
  -- Set while the program is rejected: the engine sees a pending program.
  reject_reason            text check (reject_reason is null or status = 'pending'),
  -- Suspended together with its tenant, and resumed with it.
  suspended_with_tenant    boolean not null default false,
  clock_offset_ms          bigint not null default 0 check (clock_offset_ms >= 0),
  billing_tolerance_bps    integer not null default 500 check (billing_tolerance_bps between 0 and 10000),
  billing_mismatch_action  text not null default 'take_larger'
    check (billing_mismatch_action in ('decline', 'take_larger')),
  credit_limit             jsonb not null
    default '{"per_authorization_cents": 250000, "per_card_per_day_cents": 500000}'
);
create index on programs (tenant_id, environment, id);
create unique index on programs (tenant_id, environment, external_id) where external_id is not null;
create trigger version before insert or update on programs
  for each row execute function config_version('program', 'id');
create trigger changed after insert or update or delete on programs
  for each row execute function config_changed('program', 'id');

-- A program's config record contains the tenant's API version and entitlement: their change
-- versions the programs.
create function touch_programs() returns trigger language plpgsql as $$
begin
  update programs set name = name where tenant_id = new.id;
  return null;
end $$;
create trigger touch after update of api_version, realtime_entitled on tenants
  for each row execute function touch_programs();

-- A new program follows the tenant's real-time endpoint.
create function follow_realtime_endpoint() returns trigger language plpgsql as $$
begin
  if new.endpoint_id is null then
    new.endpoint_id := (
      select id from webhook_endpoints
      where tenant_id = new.tenant_id and environment = new.environment and is_realtime
    );
  end if;
  return new;
end $$;
create trigger follow_realtime_endpoint before insert on programs
  for each row execute function follow_realtime_endpoint();

-- A program's config record contains the sandbox clock: windows, holds and schedules go by it.
create function follow_sandbox_clock() returns trigger language plpgsql as $$
begin
  new.clock_offset_ms := clock_offset(new.tenant_id, new.environment);
  return new;
end $$;
create trigger follow_sandbox_clock before insert on programs
  for each row execute function follow_sandbox_clock();

create function move_programs() returns trigger language plpgsql as $$
begin
  update programs set clock_offset_ms = new.offset_ms
  where tenant_id = new.tenant_id and environment = 'sandbox';
  return null;
end $$;
create trigger move_programs after insert or update on sandbox_clocks
  for each row execute function move_programs();

create table cardholders (
  id              text primary key,
  tenant_id       text not null references tenants,
  environment     text not null check (environment in ('sandbox', 'live')),
  program_id      text not null references programs,
  name            text not null,
  status          text not null check (status in ('active', 'inactive')),
  frozen          boolean not null default false,
  frozen_reason   text,
  created_at      bigint not null,
  version         bigint not null default 1,
  external_id     text,
  metadata        jsonb not null default '{}',
  -- Names, email, phone, date of birth, address.
  details         jsonb not null default '{}',
  -- Verification, as the API shows it.
  identity        jsonb not null
    default '{"status": "not_started", "reasons": [], "verification_id": null, "completed_at": null}',
  -- Freezes, [{by, reason}], the strongest first. The cardholder is frozen while there is one.
  freezes         jsonb not null default '[]',
  -- Screening, as the API shows it.
  screening       jsonb not null
    default '{"status": "pending", "screened_at": null, "list_version": null, "open_alert_ids": []}',
  -- Number of the screening lists; 0: none known.
  screened_under  bigint not null default 0
);
create index on cardholders (tenant_id, environment, id);
create unique index on cardholders (tenant_id, environment, external_id) where external_id is not null;
create index on cardholders (tenant_id, environment, lower(details ->> 'email'))
  where details ->> 'email' is not null;
create index on cardholders (program_id, id);
create index on cardholders (screened_under);
create trigger version before insert or update on cardholders
  for each row execute function config_version('cardholder', 'id');
create trigger changed after insert or update or delete on cardholders
  for each row execute function config_changed('cardholder', 'id');

-- Identity verifications: requests to the provider and their state.
create table identity_verifications (
  id             text primary key,
  tenant_id      text not null references tenants,
  environment    text not null check (environment in ('sandbox', 'live')),
  cardholder_id  text not null references cardholders,
  -- superseded: a newer verification replaced it, and late results no longer count.
  state          text not null
    check (state in ('requested', 'sent', 'requires_action', 'approved', 'rejected', 'superseded')),
  -- Failures in a row.
  attempts       integer not null default 0,
  -- Reminders sent to a silent provider.
  reminders      integer not null default 0,
  -- By the tenant's clock; null without further work.
  due_at         bigint,
  -- Number of the newest result.
  sequence       bigint not null default 0,
  created_at     bigint not null,
  check ((due_at is not null) = (state in ('requested', 'sent')))
);
create index on identity_verifications (due_at) where due_at is not null;
-- A cardholder has one open verification.
create unique index on identity_verifications (cardholder_id)
  where state in ('requested', 'sent', 'requires_action');
create index on identity_verifications (tenant_id, environment);
create index on identity_verifications (cardholder_id);

-- Results of the provider, each once: the evidence of every decision.
create table identity_findings (
  verification_id  text not null references identity_verifications,
  -- The provider's id of the result.
  event_id         text not null,
  tenant_id        text not null references tenants,
  environment      text not null check (environment in ('sandbox', 'live')),
  sequence         bigint not null,
  status           text not null,
  reasons          text[] not null,
  -- True if the result changed the verification.
  applied          boolean not null,
  received_at      bigint not null,
  primary key (verification_id, event_id)
);
create index on identity_findings (tenant_id, environment);

-- Screening lists, in the order of first use. Everybody is screened against the newest.
create table screening_lists (
  number      bigint generated always as identity primary key,
  version     text not null,
  -- Number of entries.
  size        integer not null,
  -- Modification time of the files.
  changed_at  bigint not null,
  -- Last use, by the installation's clock.
  seen_at     bigint not null
);
create index on screening_lists (version, number);

-- Hits of cardholders on sanctions and PEP lists, and their review.
create table sanctions_alerts (
  id             text primary key,
  tenant_id      text not null references tenants,
  environment    text not null check (environment in ('sandbox', 'live')),
  cardholder_id  text not null references cardholders,
  -- Hash of the screened person: a review counts for that person.
  person         text not null,
  -- Hits, as the API shows them.
  hits           jsonb not null,
  list_version   text not null,
  status         text not null default 'open' check (status in ('open', 'dismissed', 'confirmed')),
  reviewed_by    text references operators,
  reviewed_at    bigint,
  note           text,
  created_at     bigint not null,
  check ((status = 'open') = (reviewed_at is null))
);
create index on sanctions_alerts (tenant_id, environment, id);
create index on sanctions_alerts (cardholder_id);
create index on sanctions_alerts (id) where status = 'open';

create table cards (
  id                text primary key,
  tenant_id         text not null references tenants,
  environment       text not null check (environment in ('sandbox', 'live')),
  program_id        text not null references programs,
  cardholder_id     text not null references cardholders,
  type              text not null check (type in ('virtual', 'physical')),
  status            text not null check (status in ('issued', 'active', 'suspended', 'terminated')),
  suspend_reason    text,
  terminate_reason  text,
  token             text not null unique,
  fingerprint       text not null,
  sealed_pan        text not null,
  last4             text not null,
  exp_month         smallint not null check (exp_month between 1 and 12),
  exp_year          smallint not null,
  cvc_verifier      text not null,
  currency          text not null,
  created_at        bigint not null,
  version           bigint not null default 1,
  pin_verifier      text,
  windows_id        text,
  replaces          text references cards,
  suspended_by      text check (suspended_by in ('tenant', 'cardholder', 'fraud_rule')),
  external_id       text,
  metadata          jsonb not null default '{}',
  -- Printed details, `name_on_card`. The engine gets neither these nor the address.
  details           jsonb not null default '{}',
  shipping          jsonb,
  -- Loss of a terminated card, reported to the network.
  loss              text check (loss in ('lost', 'stolen')),
  unique (environment, fingerprint),
  unique (tenant_id, environment, id)
);
-- Transactions of a cardholder are found through the cards: one index less per authorization.
create index on cards (cardholder_id);
-- A card is replaced once.
create unique index on cards (replaces);
create unique index on cards (tenant_id, environment, external_id) where external_id is not null;
create index on cards (tenant_id, environment, last4, id);
create index on cards (tenant_id, environment, program_id, id);
-- Rare values only: a list of the others finds enough rows on its way.
create index on cards (tenant_id, environment, status, id) where status <> 'active';
create index on cards (tenant_id, environment, type, id) where type <> 'virtual';
create index on cards (tenant_id, environment, cardholder_id, id);
create trigger version before insert or update on cards
  for each row execute function config_version('card', 'id');
create trigger changed after insert or update or delete on cards
  for each row execute function config_changed('card', 'id');

-- Tokens that show a card number once to their bearer.
create table card_reveal_tokens (
  hash         bytea primary key,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  card_id      text not null references cards,
  fields       text[] not null,
  -- Id of the API key.
  created_by   text not null,
  created_at   bigint not null,
  expires_at   bigint not null,
  used_at      bigint
);
create index on card_reveal_tokens (card_id);
create index on card_reveal_tokens (expires_at);

-- Tokens made by a browser from a card's details: keyed hashes, never a number. The owner is found
-- at use.
create table card_tokens (
  id            text primary key,
  tenant_id     text not null references tenants,
  environment   text not null check (environment in ('sandbox', 'live')),
  fingerprint   text not null,
  -- Null without a CVC.
  cvc_verifier  text,
  last4         text not null,
  brand         text not null,
  exp_month     smallint not null,
  exp_year      smallint not null,
  created_at    bigint not null,
  expires_at    bigint not null,
  used_at       bigint
);
create index on card_tokens (tenant_id, environment, id);
create index on card_tokens (expires_at);

-- 3DS results of the issuer's access control server. The network gives the 3DS id, so ids of two
-- tenants may be equal: the config record's id contains the card too.
create table authentications (
  id           text primary key,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  card_id      text not null references cards,
  result       text not null check (result in ('authenticated', 'attempted', 'failed')),
  created_at   bigint not null,
  expires_at   bigint not null,
  version      bigint not null default 1,
  three_ds_id  text not null
);
create index on authentications (card_id);
create unique index on authentications (tenant_id, environment, three_ds_id);
create index on authentications (expires_at);
create trigger version before insert or update on authentications
  for each row execute function config_version('authentication', 'id');
create trigger changed after insert or update or delete on authentications
  for each row execute function config_changed('authentication', 'id');

-- Cards in wallets.
create table wallet_tokens (
  id           text primary key,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  card_id      text not null references cards,
  provider     text not null,
  status       text not null check (status in ('active', 'suspended', 'deactivated')),
  created_at   bigint not null,
  version      bigint not null default 1,
  external_id  text,
  metadata     jsonb not null default '{}'
);
create index on wallet_tokens (card_id);
-- A tenant's list, without the tokens of others.
create index on wallet_tokens (tenant_id, environment, id);
create unique index on wallet_tokens (tenant_id, environment, external_id) where external_id is not null;
create trigger version before insert or update on wallet_tokens
  for each row execute function config_version('wallet_token', 'id');
create trigger changed after insert or update or delete on wallet_tokens
  for each row execute function config_changed('wallet_token', 'id');

-- Compiled controls of one program, cardholder or card, drafts included, as the engine gets them.
create table controls (
  subject_id   text primary key,
  scope        text not null check (scope in ('program', 'cardholder', 'card', 'payment_account')),
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  version      bigint not null default 1,
  controls     jsonb not null default '[]'
);
create trigger version before insert or update on controls
  for each row execute function config_version('controls', 'subject_id');
create trigger changed after insert or update or delete on controls
  for each row execute function config_changed('controls', 'subject_id');

-- Spending controls, as the API shows them.
create table spending_controls (
  id           text primary key,
  -- Order of lists: a control written by PUT limits has an id as old as its card.
  seq          bigint generated always as identity,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  scope        text not null check (scope in ('program', 'cardholder', 'card', 'payment_account')),
  -- A replacement card inherits the controls.
  subject_id   text not null,
  state        text not null check (state in ('draft', 'active', 'retired')),
  -- Current version.
  version      integer not null check (version > 0),
  created_at   bigint not null,
  external_id  text,
  metadata     jsonb not null default '{}'
);
create unique index on spending_controls (tenant_id, environment, seq);
create index on spending_controls (subject_id);
create unique index on spending_controls (tenant_id, environment, external_id) where external_id is not null;

-- Versions of a control, state included: as the API shows it, and compiled for the engine.
create table spending_control_versions (
  control_id  text not null references spending_controls on delete cascade,
  version     integer not null,
  state       text not null check (state in ('draft', 'active', 'retired')),
  terms       jsonb not null,
  -- Null while retired.
  compiled    jsonb check ((compiled is null) = (state = 'retired')),
  -- Id of the API key; null without a caller.
  created_by  text,
  created_at  bigint not null,
  primary key (control_id, version)
);

-- Versions of a control never change and are deleted only with the control.
create function refuse_change_alone() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if not exists (select from spending_controls where id = old.control_id) then
      return old;
    end if;
  end if;
  raise exception 'a row of % never changes', tg_table_name;
end $$;
create trigger immutable before update or delete on spending_control_versions
  for each row execute function refuse_change_alone();

-- Verdicts of drafts; an empty reason is an approval.
create table spending_control_shadow (
  control_id  text not null references spending_controls,
  version     integer not null,
  reason      text not null,
  verdicts    bigint not null,
  first_at    bigint not null,
  last_at     bigint not null,
  primary key (control_id, version, reason)
);

-- Exchange rates, `EUR/USD`: units of the second currency for one unit of the first.
create table fx_rates (
  id       text primary key check (id ~ '^[A-Z]{3}/[A-Z]{3}$'),
  rate     text not null check (rate ~ '^[0-9]{1,12}(\.[0-9]{1,12})?$'),
  rate_at  bigint not null,
  version  bigint not null default 1
);
create trigger version before insert or update on fx_rates
  for each row execute function config_version('fx_rate', 'id');
create trigger changed after insert or update or delete on fx_rates
  for each row execute function config_changed('fx_rate', 'id');

-- Card transactions. Entries of some kilobytes stay in their row uncompressed: compressing cost a
-- third of the drain. Vacuum runs at a tenth of the pace and analyze after a doubling: the pages of
-- a growing table are otherwise written twice after each checkpoint. Constraints that each journal
-- entry would check again by a query of its own are left out.
create table card_transactions (
  id                       text primary key,
  tenant_id                text not null,
  environment              text not null,
  seq                      bigint not null,
  card_id                  text not null,
  cardholder_id            text not null,
  network                  text not null,
  status                   text not null
    check (status in (
      'authorized', 'declined', 'reversed', 'expired',
      'partially_captured', 'captured', 'partially_refunded', 'refunded'
    )),
  amount_cents             bigint not null check (amount_cents >= 0),
  approved_cents           bigint not null check (approved_cents >= 0),
  currency                 text not null,
  decline_reason           text,
  created_at               bigint not null,
  sequence                 integer not null default 1,
  late_outcome             text,
  late_ms                  bigint,
  late_disagrees           boolean,
  -- `authorization_request.kind` of the latest authorization request.
  kind                     text not null default 'initial',
  -- Network transaction id of the first message.
  network_transaction_id   text,
  -- The original transaction, where the engine no longer knew it; for display.
  original_transaction_id  text,
  -- True if stand-in decided any of its authorization requests.
  stand_in                 boolean not null default false,
  -- Sequence of the latest authorization request, whose decision is shown.
  question_sequence        integer not null default 1,
  -- Sequence of the authorization request with a late answer.
  late_sequence            integer,
  -- Sums other than 0 by name, in minor units of the card's currency.
  sums                     jsonb not null default '{}',
  flags                    integer not null default 0,
  -- Expiry of the open hold; 0 without one.
  hold_expires_at          bigint not null default 0,
  merchant_id              text not null default '',
  merchant_name            text not null default '',
  mcc                      text not null default '',
  foreign key (tenant_id, environment, card_id) references cards (tenant_id, environment, id)
) with ( toast_tuple_target = 8160, autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_cost_delay = 20 );
create unique index on card_transactions (tenant_id, environment, seq) with (deduplicate_items = off);
create index on card_transactions (tenant_id, environment, created_at);
create index on card_transactions (tenant_id, environment, seq) with (deduplicate_items = off) where stand_in;
create index on card_transactions (tenant_id, environment, seq)
  with (deduplicate_items = off)
  where late_outcome is not null;
-- Rare values only: a list of the others finds enough rows on its way.
create index on card_transactions (tenant_id, environment, status, seq)
  with (deduplicate_items = off)
  where status not in ('authorized', 'captured');
-- Most authorization requests are ordinary purchases; this index finds the others.
create index on card_transactions (tenant_id, environment, kind, seq)
  with (deduplicate_items = off)
  where kind <> 'initial';
-- Holds that expire by a sandbox clock: the engine's timer knows only its own.
create index on card_transactions (tenant_id, hold_expires_at)
  where environment = 'sandbox' and hold_expires_at > 0;
create index on card_transactions (tenant_id, environment, amount_cents, seq) with (deduplicate_items = off);
create index on card_transactions (tenant_id, environment, merchant_id, seq) with (deduplicate_items = off);
create index on card_transactions (tenant_id, environment, mcc, seq) with (deduplicate_items = off);
-- Compared byte by byte: a prefix is a range.
create index card_transactions_by_merchant_name
  on card_transactions (tenant_id, environment, lower(merchant_name) text_pattern_ops, seq)
  with (deduplicate_items = off);
create index on card_transactions (card_id, seq) with (deduplicate_items = off);
create index on card_transactions (network_transaction_id, tenant_id);

-- Messages and expiries of card transactions.
create table card_transaction_messages (
  transaction_id          text not null,
  -- Position in the transaction, from 1.
  sequence                integer not null check (sequence > 0),
  -- Kind of the network message, or `expiry`.
  kind                    text not null,
  network                 text not null,
  -- Null for an expiry.
  message_id              text,
  -- Moved amount in minor units of the card's currency; an advice may lower a hold.
  amount_cents            bigint not null,
  event_type              text not null,
  decline_reason          text,
  -- Status of the transaction after it.
  status                  text not null,
  flags                   integer not null,
  happened_at             bigint not null,
  journal_seq             bigint not null,
  -- The drained journal entry, byte for byte; the API shows the message from it.
  entry                   bytea not null,
  tenant_outcome          text,
  stand_in                boolean,
  stand_in_would_approve  boolean,
  primary key (transaction_id, sequence),
  unique (network, message_id)
) with ( toast_tuple_target = 8160, autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_cost_delay = 20 );
-- Messages that move money, by day.
create index on card_transaction_messages (network, happened_at)
  where kind in ('capture', 'refund', 'capture_reversal', 'refund_reversal');

-- Messages for unknown cards: no tenant, so no event.
create table unmatched_messages (
  network      text not null,
  message_id   text not null,
  environment  text not null,
  created_at   bigint not null,
  journal_seq  bigint not null,
  entry        bytea not null,
  primary key (network, message_id)
);

-- Disputes of captured card transactions, their evidence and deadlines.
create table disputes (
  id                  text primary key,
  tenant_id           text not null references tenants,
  environment         text not null check (environment in ('sandbox', 'live')),
  transaction_id      text not null references card_transactions,
  card_id             text not null references cards,
  cardholder_id       text not null references cardholders,
  -- Minor units of the card's currency.
  amount_cents        bigint not null check (amount_cents > 0),
  currency            text not null,
  reason              text not null,
  explanation         text,
  status              text not null check (status in ('needs_response', 'submitted', 'won', 'lost', 'expired')),
  outcome             text check (outcome in ('won', 'lost')),
  -- Deadline of the latest response, by the tenant's clock.
  evidence_due_by     bigint not null,
  -- The sponsor bank's latest request for evidence, in its words.
  evidence_requested  text,
  evidence_count      integer not null default 0,
  submitted_at        bigint,
  resolved_at         bigint,
  external_id         text,
  metadata            jsonb not null default '{}',
  created_at          bigint not null,
  check ((outcome is null) = (status in ('needs_response', 'submitted')))
);
create unique index on disputes (tenant_id, environment, external_id) where external_id is not null;
create index on disputes (tenant_id, environment, id);
create index on disputes (tenant_id, environment, evidence_due_by, id);
-- Disputes of a transaction.
create index on disputes (transaction_id, id);
create index on disputes (card_id);
create index on disputes (cardholder_id);
create index on disputes (evidence_due_by) where status = 'needs_response';

create table dispute_evidence (
  id           text primary key,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  dispute_id   text not null references disputes,
  kind         text not null,
  text         text,
  fields       jsonb not null default '{}',
  created_at   bigint not null
);
create index on dispute_evidence (dispute_id, id);

-- Clearing files of networks, compared with our records. They change no sum of a transaction.
create table clearing_files (
  id             text primary key,
  environment    text not null check (environment in ('sandbox', 'live')),
  network        text not null,
  -- The network's id of the file.
  file_id        text not null,
  -- A day in UTC.
  business_date  date not null,
  status         text not null default 'open' check (status in ('open', 'closed')),
  entries        bigint not null default 0,
  matched        bigint not null default 0,
  created_at     bigint not null,
  closed_at      bigint,
  unique (network, environment, file_id)
);
create index on clearing_files (environment, network, business_date);

-- A file comes in parts; the hash recognizes a repeated part.
create table clearing_parts (
  clearing_file_id  text not null references clearing_files,
  part              integer not null check (part > 0),
  content_hash      bytea not null,
  primary key (clearing_file_id, part)
);

-- Movements of money in a file, by network message.
create table clearing_entries (
  clearing_file_id  text not null references clearing_files,
  environment       text not null,
  network           text not null,
  kind              text not null,
  message_id        text not null,
  primary key (network, environment, message_id, kind)
);
create index on clearing_entries (clearing_file_id);

create table clearing_exceptions (
  seq               bigint generated always as identity primary key,
  clearing_file_id  text not null references clearing_files,
  kind              text not null
    check (kind in ('amount_mismatch', 'currency_mismatch', 'missing_here', 'missing_in_file', 'named_twice')),
  message_id        text not null,
  message_kind      text not null,
  -- Amount in the file; null if the file lacks the movement.
  file_amount       bigint,
  file_currency     text,
  -- Tenant and transaction of our record; null without one.
  tenant_id         text references tenants,
  environment       text not null check (environment in ('sandbox', 'live')),
  transaction_id    text,
  sequence          integer,
  created_at        bigint not null,
  foreign key (transaction_id, sequence) references card_transaction_messages (transaction_id, sequence)
);
create index on clearing_exceptions (clearing_file_id, seq);
create index on clearing_exceptions (clearing_file_id, kind, seq);
create index on clearing_exceptions (tenant_id, environment, seq) where tenant_id is not null;
-- Clearing exceptions of a transaction.
create index on clearing_exceptions (transaction_id, seq) where transaction_id is not null;
