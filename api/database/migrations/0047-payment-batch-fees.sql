-- The fee of a batch as its settlement account had it at the closing, hundredths of a per cent. Null
-- in a batch that an earlier release closed and whose call is not written yet.
alter table settlement_batches add column fee_bps smallint check (fee_bps between 0 and 500);
