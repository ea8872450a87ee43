-- The bit of a refund in the approval on the chain, beside those of the captures: a repeat of it
-- lands nothing. The settler assigns it before the first signature, also to refunds of an earlier
-- release. Null in a call that the earlier release wrote.
alter table payment_refunds add column approval_id text;
alter table payment_refunds add column bit smallint check (bit between 0 and 63);
create unique index on payment_refunds (approval_id, bit);
