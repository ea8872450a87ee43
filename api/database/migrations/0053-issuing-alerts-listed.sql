-- As 0052, for the status of sanctions alerts.
create index on sanctions_alerts (tenant_id, environment, status, id);
