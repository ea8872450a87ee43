-- The index that 0083 replaces. Reads of deliveries wait while a drop waits: behind a backup it
-- gives up, and the next run of the migrations begins it again.
set local lock_timeout = '2s';
drop index open_deliveries_by_type;
