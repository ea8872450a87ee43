-- As 0052, for the moment of audit entries.
create index on audit_log (tenant_id, environment, created_at);
