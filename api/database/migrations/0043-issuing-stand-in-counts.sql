-- The drain locks the two in this order.
lock table card_transactions, card_transaction_messages in access exclusive mode;

-- Verdicts of stand-in and late answers, counted by the hour in which their transactions were
-- created: a report reads hours, and rows of transactions only within the hours that its period
-- cuts.
create table stand_in_counts (
  tenant_id      text not null,
  environment    text not null,
  -- Start of the hour, by the tenant's clock.
  at             bigint not null,
  -- `tenant_outcome` of requests to the tenant, `late_outcome` of late answers.
  outcome        text not null,
  -- Stand-in decided the request; false for late answers.
  stand_in       boolean not null,
  -- Stand-in approved the request, or would have; false for late answers.
  would_approve  boolean not null,
  -- The late answer was another one than the decision; false for requests.
  disagrees      boolean not null,
  count          bigint not null,
  primary key (tenant_id, environment, at, outcome, stand_in, would_approve, disagrees)
) with ( fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05 );

-- Transactions from before the counts: a report counts their rows.
create table stand_in_uncounted (
  tenant_id    text not null,
  environment  text not null,
  -- Place of the last one in its tenant's list.
  seq          bigint not null,
  -- The latest `created_at` among them.
  until_at     bigint not null,
  primary key (tenant_id, environment)
);

-- True where the drain counted the verdict with its batch. Code of the release before leaves it null:
-- then a trigger counts, which costs the drain too much otherwise.
alter table card_transaction_messages add column counted boolean;

create function count_stand_in_verdict() returns trigger language plpgsql as $$
begin
  insert into stand_in_counts as c (
    tenant_id, environment, at, outcome, stand_in, would_approve, disagrees, count
  )
  select t.tenant_id, t.environment, t.created_at - t.created_at % 3600000, new.tenant_outcome,
    new.stand_in, new.stand_in_would_approve, false, 1
  from card_transactions t
  where t.id = new.transaction_id and t.seq > coalesce((
    select u.seq from stand_in_uncounted u
    where u.tenant_id = t.tenant_id and u.environment = t.environment
  ), 0)
  on conflict (tenant_id, environment, at, outcome, stand_in, would_approve, disagrees)
    do update set count = c.count + excluded.count;
  return null;
end $$;
create trigger counts_stand_in_verdict after insert on card_transaction_messages
  for each row when (
    new.counted is null and new.stand_in_would_approve is not null and new.tenant_outcome is not null
  ) execute function count_stand_in_verdict();

-- A later late answer of a transaction takes the place of the one before.
create function count_late_answer() returns trigger language plpgsql as $$
begin
  if new.seq <= coalesce((
    select u.seq from stand_in_uncounted u
    where u.tenant_id = new.tenant_id and u.environment = new.environment
  ), 0) then
    return null;
  end if;
  insert into stand_in_counts as c (
    tenant_id, environment, at, outcome, stand_in, would_approve, disagrees, count
  )
  select new.tenant_id, new.environment, new.created_at - new.created_at % 3600000, moved.outcome,
    false, false, moved.disagrees, sum(moved.count)
  from (
    select new.late_outcome as outcome, coalesce(new.late_disagrees, false) as disagrees, 1 as count
    union all
    select old.late_outcome, coalesce(old.late_disagrees, false), -1 where tg_op = 'UPDATE'
  ) moved
  where moved.outcome is not null
  group by moved.outcome, moved.disagrees order by moved.outcome, moved.disagrees
  on conflict (tenant_id, environment, at, outcome, stand_in, would_approve, disagrees)
    do update set count = c.count + excluded.count;
  return null;
end $$;
create trigger counts_late_answer after insert on card_transactions
  for each row when (new.late_outcome is not null) execute function count_late_answer();
create trigger recounts_late_answer after update on card_transactions
  for each row when (
    old.late_outcome is distinct from new.late_outcome
    or old.late_disagrees is distinct from new.late_disagrees
  ) execute function count_late_answer();

-- The triggers hold writers off until this is committed.
insert into stand_in_uncounted (tenant_id, environment, seq, until_at)
select s.tenant_id, s.environment, s.transaction_seq, last.created_at
from tenant_sequences s
cross join lateral (
  select t.created_at from card_transactions t
  where t.tenant_id = s.tenant_id and t.environment = s.environment
  order by t.created_at desc limit 1
) last;
