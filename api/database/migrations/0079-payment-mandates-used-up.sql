-- Fills the column of 0076; only the rows that change are locked.
update payment_mandates m set is_exhausted = true
where not is_exhausted and (
  m.limit_cents <= (
    select coalesce(sum(captured_cents), 0) from payments
    where mandate_id = m.id and status not in ('risk_declined', 'voided')
  )
  or 64 <= (select count(*) from payment_captures where approval_id = m.id)
);
