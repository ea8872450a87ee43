-- Customers that are made anew at the payment processor, after they were deleted there.

-- How often; part of the keys of calls from then on.
alter table billing_customers add column relinks integer not null default 0 check (relinks >= 0);
