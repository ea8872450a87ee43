-- The name under which the chain knows a batch whose closing a failover lost: the Keccak hash of an
-- id that nobody has any more. Null: the hash of the batch's own id.
alter table settlement_batches add column chain_name bytea check (length(chain_name) = 32);
