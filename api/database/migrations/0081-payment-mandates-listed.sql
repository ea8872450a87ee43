-- As 0052, for the list of mandates that cover nothing more.
create index on payment_mandates (tenant_id, environment, id) where is_exhausted;
