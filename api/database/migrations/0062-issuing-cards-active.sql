-- As 0052, for tenants most of whose cards have ended, or are physical: these values are few there.
create index on cards (tenant_id, environment, id) where status = 'active';
create index on cards (tenant_id, environment, id) where type = 'virtual';
