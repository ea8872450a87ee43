-- The index of an endpoint's list with the kind of the cause before the id: a list of an event's
-- own deliveries amid a million replays checked each entry. It replaces open_deliveries_in_list
-- with entries as long; 0092 drops that one.
create index open_deliveries_of_kind on open_deliveries (endpoint_id, (cause = 'event'), id collate "POSIX");
