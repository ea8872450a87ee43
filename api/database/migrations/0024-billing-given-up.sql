-- The processor knows that the invoice is uncollectible since. Moments are of the installation's
-- clock.

alter table billing_collections
  add column given_up_at bigint;
create index on billing_invoices (id) where status = 'uncollectible' and processor_id is not null;
