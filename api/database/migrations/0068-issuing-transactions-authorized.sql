-- As 0052, for authorizations that still hold funds: a busy tenant may have few among many that were
-- captured. An entry of the index is as short-lived as the hold.
create index on card_transactions (tenant_id, environment, seq) with (deduplicate_items = off)
  where status = 'authorized';
