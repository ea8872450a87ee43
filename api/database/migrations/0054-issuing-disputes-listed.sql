-- As 0052. The list of disputes by their deadline takes the matching rows of a rare value, and goes
-- along the deadlines for a frequent one.
create index on disputes (tenant_id, environment, status, id);
create index on disputes (tenant_id, environment, reason, id);
