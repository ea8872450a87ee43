-- As 0052, for the action of audit entries. Every change that the API makes writes one: the next
-- file builds the other index, so that no change waits for both.
create index on audit_log (tenant_id, environment, action, seq);
