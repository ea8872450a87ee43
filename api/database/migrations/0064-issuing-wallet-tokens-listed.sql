-- As 0052, for the status of wallet tokens.
create index on wallet_tokens (tenant_id, environment, status, id);
