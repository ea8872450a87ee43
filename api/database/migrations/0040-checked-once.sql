-- What is known already is not looked up again for every entry of the journal: each check of a foreign key is a query of its own,
-- and four of them were a sixth of what an entry cost.

-- A transaction's tenant is that of its card, which is checked; a card's tenant is there.
alter table card_transactions drop constraint if exists card_transactions_tenant_id_fkey;

-- An event has its number from its tenant's row in tenant_sequences, and whoever takes one holds the tenant for it.
alter table events drop constraint if exists events_tenant_id_fkey;

-- One statement writes messages and their transactions, and refuses both where one is missing; a wipe holds a transaction before
-- it takes what hangs on it.
alter table card_transaction_messages drop constraint if exists card_transaction_messages_transaction_id_fkey;

-- Keys that end in a place in the tenant's list are never equal: looking for equal ones before each split of a page is in vain.
do $$
declare
  name text;
begin
  for name in
    select i.indexrelid::regclass from pg_index i
    where i.indrelid = 'card_transactions'::regclass and pg_get_indexdef(i.indexrelid) like '%, seq)%'
  loop
    execute format('alter index %s set (deduplicate_items = off)', name);
  end loop;
end
$$;
