-- A sandbox can be emptied: what is told about it afterwards is known to be nobody's any more.

create table sandbox_wipes (
  tenant_id  text primary key references tenants,
  -- How often.
  wipes      integer not null default 1,
  -- The installation's time of the last one.
  wiped_at   bigint not null
);

-- Transactions of a wiped sandbox of which the engine may still tell something: that a hold ran out, or a late reply.
create table wiped_transactions (
  id           text primary key,
  tenant_id    text not null references tenants,
  environment  text not null check (environment = 'sandbox')
);

-- A version of a control goes with its control, and only so.
create function refuse_change_alone() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if not exists (select from spending_controls where id = old.control_id) then
      return old;
    end if;
  end if;
  raise exception 'a row of % never changes', tg_table_name;
end $$;
drop trigger immutable on spending_control_versions;
create trigger immutable before update or delete on spending_control_versions
  for each row execute function refuse_change_alone();
alter table spending_control_versions
  drop constraint spending_control_versions_control_id_fkey,
  add foreign key (control_id) references spending_controls on delete cascade;

-- A card that goes is looked for among its owner's transactions, not among everybody's.
alter table cards add unique (tenant_id, environment, id);
drop index cards_tenant_id_environment_id_idx;
alter table card_transactions
  drop constraint card_transactions_card_id_fkey,
  add foreign key (tenant_id, environment, card_id) references cards (tenant_id, environment, id);
create index on identity_verifications (cardholder_id);
