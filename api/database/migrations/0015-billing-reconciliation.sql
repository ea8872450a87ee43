-- The nightly comparison with the payment processor. Moments are of the installation's clock.

alter table billing_event_lists
  add column reconciled_at bigint;

-- The processor has the invoice since.
alter table billing_collections
  add column placed_at bigint;
create index on billing_collections (placed_at) where placed_at is not null;
