-- Decisions of stand-in that their tenant has not acknowledged, a row for each transaction.
-- Triggers keep it, so that code of the release before fills it too: a list of open decisions reads
-- these rows alone, however many decisions were acknowledged.
create table open_stand_in_decisions (
  transaction_id  text primary key references card_transactions on delete cascade,
  tenant_id       text not null,
  environment     text not null check (environment in ('sandbox', 'live')),
  -- Place of the transaction in its tenant's list.
  seq             bigint not null,
  -- Sequence of the transaction's latest message that stand-in decided.
  sequence        integer not null check (sequence > 0)
);
create unique index on open_stand_in_decisions (tenant_id, environment, seq);

-- The transaction is inserted by the same statement or before: a trigger after it finds the row.
create function stand_in_decision_opens() returns trigger language plpgsql as $$
begin
  insert into open_stand_in_decisions as held (transaction_id, tenant_id, environment, seq, sequence)
  select id, tenant_id, environment, seq, new.sequence from card_transactions
  where id = new.transaction_id
  on conflict (transaction_id) do update set sequence = excluded.sequence
    where held.sequence < excluded.sequence;
  return null;
end $$;
create trigger opens_stand_in_decision after insert on card_transaction_messages
  for each row when (new.stand_in) execute function stand_in_decision_opens();

-- A decision behind the acknowledged message stays open.
create function stand_in_decision_closes() returns trigger language plpgsql as $$
begin
  delete from open_stand_in_decisions
  where transaction_id = new.transaction_id and sequence <= new.sequence;
  return null;
end $$;
create trigger closes_stand_in_decision after insert or update on stand_in_acknowledgements
  for each row execute function stand_in_decision_closes();

insert into open_stand_in_decisions (transaction_id, tenant_id, environment, seq, sequence)
select t.id, t.tenant_id, t.environment, t.seq, m.sequence
from card_transactions t
cross join lateral (
  select max(m.sequence) as sequence from card_transaction_messages m
  where m.transaction_id = t.id and m.stand_in
) m
left join stand_in_acknowledgements a on a.transaction_id = t.id
where t.stand_in and m.sequence > coalesce(a.sequence, 0);
