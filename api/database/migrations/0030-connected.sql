-- Milliseconds until a fresh connection was ready, names and TLS included; null on one that had served before.
alter table delivery_attempts add column connected_ms integer;
