-- As 0052, for the payments of a cardholder.
create index on payments (tenant_id, environment, cardholder_id, id);
