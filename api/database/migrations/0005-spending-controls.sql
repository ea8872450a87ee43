-- Spending controls as objects: who they bind, what they were at every version, and what drafts would have done.

create table spending_controls (
  id           text primary key,
  -- The order of lists: a control that PUT limits writes has an id as old as its card.
  seq          bigint generated always as identity,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  scope        text not null check (scope in ('program', 'cardholder', 'card')),
  -- A card's controls follow it to its replacement.
  subject_id   text not null,
  state        text not null check (state in ('draft', 'active', 'retired')),
  -- The current one.
  version      integer not null check (version > 0),
  created_at   bigint not null
);
create unique index on spending_controls (tenant_id, environment, seq);
create index on spending_controls (subject_id);

-- The whole control at one moment, its state included: as the API shows it, and as the engine decides by it.
create table spending_control_versions (
  control_id   text not null references spending_controls,
  version      integer not null,
  state        text not null check (state in ('draft', 'active', 'retired')),
  terms        jsonb not null,
  -- Null where it binds nobody.
  compiled     jsonb check ((compiled is null) = (state = 'retired')),
  -- The API key; null where no caller wrote it.
  created_by   text,
  created_at   bigint not null,
  primary key (control_id, version)
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'a row of % never changes', tg_table_name;
end $$;
create trigger immutable before update or delete on spending_control_versions
  for each row execute function refuse_change();

-- What the engine decided by until now, which was lists of categories, merchants and countries, and limits.
insert into spending_controls (id, tenant_id, environment, scope, subject_id, state, version, created_at)
select one ->> 'id', k.tenant_id, k.environment, k.scope, k.subject_id, one ->> 'state',
  (one ->> 'version')::integer, coalesce(c.created_at, h.created_at, p.created_at, 0)
from controls k
cross join lateral jsonb_array_elements(k.controls) as control (one)
left join cards c on c.id = k.subject_id
left join cardholders h on h.id = k.subject_id
left join programs p on p.id = k.subject_id
order by 8, 1;

insert into spending_control_versions (control_id, version, state, terms, compiled, created_at)
select s.id, s.version, s.state, jsonb_build_object(
  'allowed_mccs', case one -> 'mccs' ->> 'mode' when 'allow' then one -> 'mccs' -> 'values' end,
  'blocked_mccs', case one -> 'mccs' ->> 'mode' when 'block' then one -> 'mccs' -> 'values' end,
  'allowed_categories', null, 'blocked_categories', null,
  'allowed_merchant_ids', case one -> 'merchants' ->> 'mode' when 'allow' then one -> 'merchants' -> 'values' end,
  'blocked_merchant_ids', case one -> 'merchants' ->> 'mode' when 'block' then one -> 'merchants' -> 'values' end,
  'allowed_countries', case one -> 'countries' ->> 'mode' when 'allow' then one -> 'countries' -> 'values' end,
  'blocked_countries', case one -> 'countries' ->> 'mode' when 'block' then one -> 'countries' -> 'values' end,
  'allowed_currencies', null, 'blocked_currencies', null,
  'allowed_entry_methods', null, 'blocked_entry_methods', null,
  'allowed_card_presence', null, 'blocked_card_presence', null,
  'allowed_kinds', null, 'blocked_kinds', null,
  'allowed_wallets', null, 'blocked_wallets', null,
  'schedule', '[]'::jsonb,
  'limits', (
    select coalesce(jsonb_agg((given - 'filter') || '{"filters": null}' order by at), '[]')
    from jsonb_array_elements(one -> 'limits') with ordinality as listed (given, at)
  ),
  'authentication', null, 'fallback', null, 'single_use', null, 'merchant_lock', false,
  'cancel_after', null
), one, s.created_at
from controls k
cross join lateral jsonb_array_elements(k.controls) as control (one)
join spending_controls s on s.id = one ->> 'id';

-- How often a draft would have approved and declined; an empty reason is an approval.
create table spending_control_shadow (
  control_id   text not null references spending_controls,
  version      integer not null,
  reason       text not null,
  verdicts     bigint not null,
  first_at     bigint not null,
  last_at      bigint not null,
  primary key (control_id, version, reason)
);

-- A card is replaced once.
create unique index on cards (replaces);

-- Fraud rules start as drafts: they only tell.
alter table programs alter column fraud_rules set default '[
  {"name": "card_testing", "state": "draft", "count": 10, "seconds": 60, "amount_cents": 500},
  {"name": "cvc_failures", "state": "draft", "count": 5, "seconds": 3600, "amount_cents": null},
  {"name": "pin_failures", "state": "draft", "count": 5, "seconds": 3600, "amount_cents": null}
]';
update programs set fraud_rules = default where fraud_rules = '[]';

create index on programs (tenant_id, environment, id);
