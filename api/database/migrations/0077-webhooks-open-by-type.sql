-- As 0058, for open deliveries: a list of a rare type read all that wait. Deliveries of the
-- frequent types have no entry.
create index open_deliveries_by_type on open_deliveries (endpoint_id, type, id collate "POSIX")
  where type not in ('card.transaction.authorized', 'card.transaction.captured');
