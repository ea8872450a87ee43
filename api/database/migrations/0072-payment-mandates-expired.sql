-- As 0052, for mandates that have expired: moments tell which these are, and most go on.
create index on payment_mandates (tenant_id, environment, expires_at) where status = 'active';
create index on payment_mandates (tenant_id, environment, confirmation_expires_at)
  where status = 'pending';
