-- As 0077, for every type: a list of deliveries of a frequent type that hardly waits read all that
-- wait. A delivery waits for a moment, and one more entry costs it 8 % of its log.
create index open_deliveries_by_any_type on open_deliveries (endpoint_id, type, id collate "POSIX");
