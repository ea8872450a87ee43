-- Cardholders by email in the order of their list: a plan that knows no email reads none but those
-- of one, however common another is.
create index on cardholders (tenant_id, environment, lower(details ->> 'email'), id)
  where details ->> 'email' is not null;
