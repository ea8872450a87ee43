-- As 0052, for the status of payment accounts: a tenant has one for each holder.
create index on payment_accounts (tenant_id, environment, status, id);
