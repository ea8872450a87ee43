-- An endpoint that was deleted is kept for what was sent to it, and shown to nobody.
alter table webhook_endpoints add column deleted_at bigint;
