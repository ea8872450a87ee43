-- A session plans the statements of a function once. Planned by statistics of when these tables were small, they read them whole,
-- and of many changes made at once each took longer than the one before, until there were new statistics.

alter function config_version() set enable_seqscan = off;
alter function end_fact(text, text, bigint) set enable_seqscan = off;
