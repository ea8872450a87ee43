-- The index that 0073 replaces. Reads of cardholders wait while a drop waits: behind a backup it
-- gives up, and the next run of the migrations begins it again.
set local lock_timeout = '2s';
drop index cardholders_tenant_id_environment_lower_idx;
