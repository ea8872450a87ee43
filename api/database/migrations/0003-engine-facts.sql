-- What the engine must know to take every message and every control: entitlements, policies, PINs, rates, wallet tokens,
-- authentications, and controls as objects.

alter table tenants add column realtime_entitled boolean not null default false;
-- Who asked its tenant before the entitlement existed has it.
update tenants set realtime_entitled = true where id in (select tenant_id from programs where realtime);

alter table programs
  add column stand_in_policy   jsonb,
  add column fraud_rules       jsonb not null default '[]',
  add column hold_expiry       jsonb not null default '[]',
  add column hold_adjustments  jsonb not null default '[]',
  add column fx_margin_bps     integer not null default 0 check (fx_margin_bps between 0 and 10000);

drop trigger touch on tenants;
create trigger touch after update of api_version, realtime_entitled on tenants
  for each row execute function touch_programs();

-- A replacement goes on with the spend windows of the card it replaces: `windows_id` is the first of the chain.
alter table cards
  add column pin_verifier  text,
  add column windows_id    text,
  add column replaces      text references cards,
  add column suspended_by  text check (suspended_by in ('tenant', 'cardholder', 'fraud_rule'));
update cards set suspended_by = 'tenant' where status = 'suspended';

-- What binds one subject, compiled: every control's current version, drafts included.
alter table controls add column controls jsonb not null default '[]';
update controls set controls = jsonb_build_array(jsonb_build_object(
  'id', 'ctl_' || split_part(subject_id, '_', 2), 'version', 1, 'state', 'active',
  'mccs', mccs, 'merchants', merchants, 'countries', countries,
  'currencies', null, 'entry_methods', null, 'card_presence', null, 'kinds', null, 'wallets', null,
  'schedule', '[]'::jsonb,
  'limits', (
    select coalesce(jsonb_agg(
      one || '{"count": null, "rolling_seconds": null, "filter": null}'::jsonb order by at
    ), '[]')
    from jsonb_array_elements(limits) with ordinality as given (one, at)
  ),
  'authentication', null, 'fallback', null, 'single_use', null, 'merchant_lock', false,
  'cancel_after', null
));
alter table controls drop column mccs, drop column merchants, drop column countries, drop column limits;

-- Rates of our own, `EUR/USD`: units of the second currency for one unit of the first.
create table fx_rates (
  id        text primary key check (id ~ '^[A-Z]{3}/[A-Z]{3}$'),
  rate      text not null check (rate ~ '^[0-9]{1,12}(\.[0-9]{1,12})?$'),
  rate_at   bigint not null,
  version   bigint not null default 1
);

-- What the issuer's access control server found out, by 3DS transaction.
create table authentications (
  id           text primary key,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  card_id      text not null references cards,
  result       text not null check (result in ('authenticated', 'attempted', 'failed')),
  created_at   bigint not null,
  expires_at   bigint not null,
  version      bigint not null default 1
);
create index on authentications (card_id);

-- Cards in wallets.
create table wallet_tokens (
  id           text primary key,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  card_id      text not null references cards,
  provider     text not null,
  status       text not null check (status in ('active', 'suspended', 'deactivated')),
  created_at   bigint not null,
  version      bigint not null default 1
);
create index on wallet_tokens (card_id);

do $$
declare
  row record;
begin
  for row in select * from (values
    ('fx_rates', 'fx_rate', 'id'), ('authentications', 'authentication', 'id'),
    ('wallet_tokens', 'wallet_token', 'id')
  ) as tables (name, type, id) loop
    execute format(
      'create trigger version before insert or update on %I for each row execute function config_version(%L, %L)',
      row.name, row.type, row.id);
    execute format(
      'create trigger changed after insert or update or delete on %I for each row execute function config_changed(%L, %L)',
      row.name, row.type, row.id);
  end loop;
end $$;
