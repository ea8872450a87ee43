-- First attempts of deliveries that ended within the hour, and those of them that succeeded. Code of
-- the release before counts none of them.
alter table endpoint_hours
  add column first_tries bigint not null default 0,
  add column first_succeeded bigint not null default 0;
