-- Filters of lists that match few rows among many. Each of these lists read all rows of its owner
-- until it had found a page. The list of disputes by their deadline takes the matching rows of a
-- rare value, and goes along the deadlines for a frequent one.
create index on disputes (tenant_id, environment, status, id);
create index on disputes (tenant_id, environment, reason, id);

-- Rare values only: a list of the others finds enough rows on its way.
create index on cardholders (tenant_id, environment, status, id) where status <> 'active';

create index on sanctions_alerts (tenant_id, environment, status, id);
create index on payments (tenant_id, environment, cardholder_id, id);
create index on audit_log (tenant_id, environment, action, seq);
create index on audit_log (tenant_id, environment, created_at);

-- Nearly all events of a busy tenant are authorizations and captures: the index leaves them out, and
-- costs the drain nothing for them.
create index events_by_rare_type on events (tenant_id, environment, type, seq)
  where type not in ('card.transaction.authorized', 'card.transaction.captured');
