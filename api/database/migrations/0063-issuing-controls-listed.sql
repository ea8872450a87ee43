-- As 0052: most tenants have a control for each card, and few of other scopes and states.
create index on spending_controls (tenant_id, environment, scope, seq);
create index on spending_controls (tenant_id, environment, state, seq);
