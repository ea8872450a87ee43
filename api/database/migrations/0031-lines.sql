-- Of each lane of an endpoint there are two lines: what was tried before, and what was not. Neither hides the other's head.
drop index open_deliveries_due;
create index open_deliveries_due on open_deliveries (tenant_id, endpoint_id, lane, (attempts > 0), due_at)
  where lease_token is null;
