-- As 0052, for mandates of an account, of a payee, and by their stored status. The shown status
-- follows from the stored one, the time and the payments.
create index on payment_mandates (payment_account_id, id);
create index on payment_mandates (settlement_account_id, id);
create index on payment_mandates (tenant_id, environment, status, id);
