-- What lists of cards and card transactions are searched and sorted by.

-- The merchant of the question that is shown.
alter table card_transactions
  add column merchant_id    text not null default '',
  add column merchant_name  text not null default '',
  add column mcc            text not null default '';

update card_transactions t set
  merchant_id = coalesce(e.merchant ->> 'id', ''),
  merchant_name = coalesce(e.merchant ->> 'name', ''),
  mcc = coalesce(e.merchant ->> 'mcc', '')
from (
  select distinct on (tenant_id, environment, resource_id) tenant_id, environment, resource_id,
    convert_from(body, 'UTF8')::json #> '{data,transaction,merchant}' as merchant
  from events where type like 'card.transaction.%'
  order by tenant_id, environment, resource_id, seq desc
) as e
where e.tenant_id = t.tenant_id and e.environment = t.environment and e.resource_id = t.id;

create index on card_transactions (tenant_id, environment, amount_cents, seq);
create index on card_transactions (tenant_id, environment, merchant_id, seq);
create index on card_transactions (tenant_id, environment, mcc, seq);
-- Compared byte by byte: a prefix is a range.
create index card_transactions_by_merchant_name
  on card_transactions (tenant_id, environment, lower(merchant_name) text_pattern_ops, seq);

create index on cards (tenant_id, environment, last4, id);
create index on cards (tenant_id, environment, program_id, id);
-- The rare ones: a list of the others finds enough of them on its way.
create index on cards (tenant_id, environment, status, id) where status <> 'active';
create index on cards (tenant_id, environment, type, id) where type <> 'virtual';
