-- An operator asked to cancel a withdrawal that its holder has approved: the settler frees its nonce,
-- or fails it before a signature. An earlier release does not know the column and releases the money.
alter table payment_withdrawals add column cancel_requested_at bigint;
