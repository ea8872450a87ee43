-- A period of controls read every control of the tenant: the index finds the first and the last
-- number of the period.
create index on spending_controls (tenant_id, environment, created_at);
