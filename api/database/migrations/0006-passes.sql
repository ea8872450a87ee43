-- Wallet passes: images, templates in versions, passes, installations, pushes, scanners, scans.

-- Images as svc encoded them, never as they came.
create table pass_images (
  id           text collate "C" primary key,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  role         text not null check (role in ('icon', 'logo', 'strip', 'thumbnail', 'background', 'footer')),
  width        integer not null,
  height       integer not null,
  -- SHA-256 of the largest scale: equal images have equal hashes.
  sha256       bytea not null,
  created_at   bigint not null,
  external_id  text,
  metadata     jsonb not null default '{}'
);
create index on pass_images (tenant_id, environment, id);
create unique index on pass_images (tenant_id, environment, external_id) where external_id is not null;

create table pass_image_scales (
  image_id  text collate "C" not null references pass_images,
  -- Pixels per point: 1, 2 and 3.
  scale     smallint not null check (scale between 1 and 3),
  width     integer not null,
  height    integer not null,
  png       bytea not null,
  primary key (image_id, scale)
);

create table pass_templates (
  id                    text collate "C" primary key,
  tenant_id             text not null references tenants,
  environment           text not null check (environment in ('sandbox', 'live')),
  status                text not null check (status in ('active', 'archived')),
  name                  text not null,
  -- Latest version, from which passes are issued.
  version               integer not null default 1,
  created_at            bigint not null,
  updated_at            bigint not null,
  archived_at           bigint,
  -- Version of the template's class at Google; 0 before there is one.
  google_class_version  integer not null default 0,
  external_id           text,
  metadata              jsonb not null default '{}'
);
create index on pass_templates (tenant_id, environment, id);
create index on pass_templates (tenant_id, environment, status, id) where status <> 'active';
create unique index on pass_templates (tenant_id, environment, external_id) where external_id is not null;

-- Versions of a template, as the API shows them. A row never changes.
create table pass_template_versions (
  template_id  text collate "C" not null references pass_templates,
  version      integer not null,
  content      jsonb not null,
  written_at   bigint not null,
  primary key (template_id, version)
);

-- Fan-outs of a version to the passes of its template, at most one running per template.
create table pass_fanouts (
  template_id  text collate "C" not null references pass_templates,
  version      integer not null,
  state        text not null check (state in ('running', 'completed', 'superseded')),
  -- Passes to change at the start.
  total        bigint not null,
  done         bigint not null default 0,
  -- Passes up to this id are done.
  cursor_id    text collate "C" not null default '',
  -- Next batch, by the installation's clock.
  due_at       bigint not null,
  begun_at     bigint not null,
  finished_at  bigint,
  primary key (template_id, version)
);
create unique index pass_fanouts_running on pass_fanouts (template_id) where state = 'running';
create index pass_fanouts_due on pass_fanouts (due_at) where state = 'running';

create table passes (
  -- Also the serial number at Apple's wallet.
  id                text collate "C" primary key,
  tenant_id         text not null references tenants,
  environment       text not null check (environment in ('sandbox', 'live')),
  template_id       text collate "C" not null references pass_templates,
  -- Shown version; a fan-out brings it to the template's latest.
  template_version  integer not null,
  status            text not null check (status in ('active', 'installed', 'removed', 'revoked')),
  -- Wallet of an installed pass: the first one that still has it.
  platform          text check (platform in ('apple', 'google')),
  holder_name       text,
  -- Values of the template's placeholders by name.
  field_values      jsonb not null default '{}',
  card_id           text references cards,
  expires_at        bigint,
  -- Scan of a single-use pass.
  redeemed_at       bigint,
  revoke_reason     text,
  -- Barcode payload with its keyed check.
  payload           text not null,
  -- Number of changes that have an event.
  version           integer not null default 1,
  created_at        bigint not null,
  -- Latest version, by the tenant's clock.
  updated_at        bigint not null,
  -- Last change of the visible content, by the installation's clock. Two changes of a pass are at
  -- least a second apart, because wallets ask by the second.
  changed_at        bigint not null,
  external_id       text,
  metadata          jsonb not null default '{}'
) with (fillfactor = 90);
create index on passes (tenant_id, environment, id);
create index on passes (tenant_id, environment, status, id);
create index passes_of_template on passes (template_id, id);
create index on passes (template_id, status, id);
create index on passes (card_id, id) where card_id is not null;
create unique index passes_external_id on passes (tenant_id, environment, external_id)
  where external_id is not null;

-- Numbers of passes by day of creation (UTC): counting a million reads none of them.
create table pass_counts (
  tenant_id    text not null,
  environment  text not null,
  template_id  text collate "C" not null,
  status       text not null,
  day          integer not null,
  count        bigint not null,
  primary key (tenant_id, environment, template_id, status, day)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
create index on pass_counts (template_id);

-- One ordered statement per change, whatever its number of rows: two of them never deadlock.
create function count_passes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into pass_counts as c (tenant_id, environment, template_id, status, day, count)
      select tenant_id, environment, template_id, status, created_at / 86400000, count(*) from after_rows
      group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (tenant_id, environment, template_id, status, day) do update set count = c.count + excluded.count;
  elsif tg_op = 'DELETE' then
    insert into pass_counts as c (tenant_id, environment, template_id, status, day, count)
      select tenant_id, environment, template_id, status, created_at / 86400000, -count(*) from before_rows
      group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (tenant_id, environment, template_id, status, day) do update set count = c.count + excluded.count;
  else
    insert into pass_counts as c (tenant_id, environment, template_id, status, day, count)
      select tenant_id, environment, template_id, status, day, sum(n) from (
        select a.tenant_id, a.environment, a.template_id, a.status, a.created_at / 86400000 as day, 1 as n
        from after_rows a join before_rows b using (id) where a.status <> b.status
        union all
        select b.tenant_id, b.environment, b.template_id, b.status, b.created_at / 86400000, -1
        from after_rows a join before_rows b using (id) where a.status <> b.status
      ) moved
      group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (tenant_id, environment, template_id, status, day) do update set count = c.count + excluded.count;
  end if;
  return null;
end
$$;
create trigger passes_counted_in after insert on passes
  referencing new table as after_rows for each statement execute function count_passes();
create trigger passes_counted_out after delete on passes
  referencing old table as before_rows for each statement execute function count_passes();
-- A trigger with transition tables cannot name columns; the function skips changes that keep the
-- status.
create trigger passes_counted_over after update on passes
  referencing old table as before_rows new table as after_rows for each statement execute function count_passes();

-- Installations: one row per device at Apple; one row per pass at Google, from the first save to
-- the last deletion.
create table pass_installations (
  pass_id       text collate "C" not null references passes,
  platform      text not null check (platform in ('apple', 'google')),
  -- Apple's device library identifier; empty for Google.
  device_id     text not null default '',
  -- Push token of the device.
  push_token    text,
  installed_at  bigint not null,
  primary key (pass_id, platform, device_id)
);
create index on pass_installations (device_id, pass_id) where platform = 'apple';
create index on pass_installations (push_token) where push_token is not null;

-- Passes that a wallet has to hear of, one row per platform however often they change. A sender
-- deletes the row only if `version` is still the one it sent.
create table pass_pushes (
  pass_id     text collate "C" not null references passes,
  platform    text not null check (platform in ('apple', 'google')),
  version     integer not null,
  -- By the installation's clock; a claim moves it past its lease.
  due_at      bigint not null,
  attempts    integer not null default 0,
  last_error  text,
  primary key (pass_id, platform)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
create index on pass_pushes (platform, due_at);

-- Google's callbacks, kept until their message expires: none is processed twice, and a save that
-- arrives after a later deletion is recognized.
create table google_callbacks (
  nonce       text primary key,
  -- No reference: the row outlives a wiped pass.
  pass_id     text collate "C" not null,
  event_type  text not null check (event_type in ('save', 'del')),
  -- By the installation's clock. All messages have the same lifetime, so expiry order is their
  -- order.
  expires_at  bigint not null
);
create index on google_callbacks (expires_at);
create index on google_callbacks (pass_id, expires_at) where event_type = 'del';

-- Devices that scan passes.
create table scanners (
  id           text collate "C" primary key,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  name         text not null,
  created_at   bigint not null,
  deleted_at   bigint,
  external_id  text,
  metadata     jsonb not null default '{}'
);
create index on scanners (tenant_id, environment, id);
create unique index on scanners (tenant_id, environment, external_id)
  where external_id is not null and deleted_at is null;

create table pass_scans (
  id           text collate "C" primary key,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  scanner_id   text collate "C" not null references scanners,
  -- Null if the payload names no pass of the tenant.
  pass_id      text collate "C" references passes,
  medium       text not null check (medium in ('barcode', 'nfc')),
  result       text not null check (result in ('valid', 'replayed', 'revoked', 'expired', 'forged', 'unknown')),
  latitude     double precision,
  longitude    double precision,
  created_at   bigint not null,
  check ((latitude is null) = (longitude is null))
);
create index on pass_scans (tenant_id, environment, id);
create index on pass_scans (pass_id, id) where pass_id is not null;
create index on pass_scans (scanner_id, id);
create index on pass_scans (tenant_id, environment, result, id) where result <> 'valid';
