-- As 0052, for the stored status of withdrawals.
create index on payment_withdrawals (tenant_id, environment, status, id);
