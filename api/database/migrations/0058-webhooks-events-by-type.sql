-- Nearly all events of a busy tenant are authorizations and captures: the index leaves them out, and
-- costs the drain nothing for them. This file makes the index of new days only; 0059 builds those of
-- the days that are there, and 0060 joins them, so that events are written while old days are read.
create index events_by_rare_type on only events (tenant_id, environment, type, seq)
  where type not in ('card.transaction.authorized', 'card.transaction.captured');
