-- The drain stores how far in time PostgreSQL knows the journal.

alter table journal_cursor
  -- Installation time at which the drain asked for the last page that was not full: every entry of
  -- before has arrived.
  add column caught_up_at bigint;
