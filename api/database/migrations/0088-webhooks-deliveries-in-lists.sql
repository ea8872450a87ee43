-- Drops the indexes that 0086 and 0087 replace. The last statement makes one index of those of the
-- days and builds only those of days made since 0087. Deliveries wait meanwhile: behind a backup
-- it gives up, and the next run of the migrations begins it again.
set local lock_timeout = '2s';
drop index open_deliveries_by_endpoint;
drop index ended_deliveries_by_tenant;
create index ended_deliveries_in_list on ended_deliveries
  (tenant_id, environment, id collate "POSIX", (cause = 'event'));
