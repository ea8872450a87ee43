-- Customers that are made anew at the payment processor, after they were deleted there.

-- How often; part of the keys of calls from then on.
alter table billing_customers add column relinks integer not null default 0 check (relinks >= 0);

-- Usage that came after its month was closed, for what no boundary bills any more.
create index billing_usage_late on billing_usage (segment_id, meter) where late > 0;

-- Bells of invoices have places of their own, however many cards ring.
create index billing_bells_invoices on billing_bells (due_at)
  where rung > answered and object_id like 'in\_%';
