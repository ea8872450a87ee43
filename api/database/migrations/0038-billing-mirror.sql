-- The mirror of usage at the payment processor, the nightly recount, and offers that are replaced.
-- Moments are of the installation's clock.

-- A customer whose usage the processor was told. A wipe by the release before ends it too.
create table billing_mirrors (
  customer_id  text primary key references billing_customers on delete cascade,
  -- Usage of the events until this number was told.
  seq          bigint not null default 0,
  -- The next telling, or the end of the lease of the one that runs.
  due_at       bigint not null,
  failures     integer not null default 0,
  -- The processor's totals were compared with the told ones.
  checked_at   bigint
);

-- The last told total of a meter's day.
create table billing_mirrored (
  customer_id  text not null references billing_customers on delete cascade,
  meter        text not null,
  -- Start of the day, UTC.
  day          bigint not null check (day % 86400000 = 0),
  total        bigint not null check (total >= 0),
  sent_at      bigint not null,
  primary key (customer_id, meter, day)
);

-- The usage was recounted from the events.
alter table billing_cursors add column recounted_at bigint;

-- When the offer was made: an approval that was asked for before means another offer.
alter table billing_quotes add column offered_at bigint;
