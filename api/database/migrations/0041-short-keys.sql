-- A card and an event's resource say whose they are: keys that begin with them find the same rows, and for every entry of the
-- journal an index compares one key instead of three. A network's names are its own business: the tenant stands behind them.

drop index card_transactions_tenant_id_environment_card_id_seq_idx;
create index on card_transactions (card_id, seq) with (deduplicate_items = off);

drop index card_transactions_tenant_id_environment_network_transaction_idx;
create index on card_transactions (network_transaction_id, tenant_id);

drop index events_by_resource;
create index events_by_resource on events (resource_id, seq);
