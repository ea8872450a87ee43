-- Mandates that cover nothing more, noted beside the captures that used them up: a list of these
-- read the payments of every mandate. The column changes once in the life of a mandate. It is
-- filled and indexed by files of their own, so that no payment waits for it.
alter table payment_mandates add column is_exhausted boolean not null default false;
