-- The index of an endpoint's list tells an event's own deliveries from those asked for: a list of
-- the former amid a million replays read each row. The condition takes no room: an entry of two ids
-- has it to spare. 0088 drops open_deliveries_by_endpoint, which this one replaces.
create index open_deliveries_in_list on open_deliveries (endpoint_id, id collate "POSIX", (cause = 'event'));
