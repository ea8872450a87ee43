-- Drops the indexes that 0090 and 0091 replace. The last statement makes one index of those of the
-- days and builds only those of days made since 0091. Deliveries wait meanwhile: behind a backup
-- it gives up, and the next run of the migrations begins it again.
set local lock_timeout = '2s';
drop index open_deliveries_in_list;
drop index ended_deliveries_by_endpoint;
create index ended_deliveries_of_kind on ended_deliveries
  (endpoint_id, (cause = 'event'), id collate "POSIX");
