-- Mandates that cover nothing more, noted beside the captures that used them up: a list of these
-- read the payments of every mandate. The column changes once in the life of a mandate.
alter table payment_mandates add column is_exhausted boolean not null default false;
update payment_mandates m set is_exhausted = true
where m.limit_cents <= (
    select coalesce(sum(captured_cents), 0) from payments
    where mandate_id = m.id and status not in ('risk_declined', 'voided')
  )
  or 64 <= (select count(*) from payment_captures where approval_id = m.id);
create index on payment_mandates (tenant_id, environment, id) where is_exhausted;
