-- Overrides that end are found each second.
create index on billing_subscriptions (override_expires_at)
  where override_state = 'suspended' and ended_at is null;

-- When a job wrote the mails of a notice; null: not yet. Notices of before are not mailed.
alter table billing_notices add column mailed_at bigint default 0;
alter table billing_notices alter column mailed_at drop default;
create index on billing_notices (id) where mailed_at is null;
