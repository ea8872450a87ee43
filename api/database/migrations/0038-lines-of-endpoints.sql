-- An endpoint is one tenant's: its lines need no other name. The shorter keys make the index of a million open deliveries a
-- level lower, and every claim and scan goes through all levels.
drop index open_deliveries_due;
create index open_deliveries_due on open_deliveries (endpoint_id, lane, (attempts > 0), due_at) where lease_token is null;
