-- Overrides that end are found each second.
create index on billing_subscriptions (override_expires_at)
  where override_state = 'suspended' and ended_at is null;
