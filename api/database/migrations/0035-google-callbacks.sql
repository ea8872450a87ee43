-- What Google called about is remembered until its message is invalid by itself, so that none is taken twice; and which pass it was
-- about, so that a save that comes behind a later deletion is known. Nothing has ever been written here before.
drop table google_callbacks;
create table google_callbacks (
  nonce       text primary key,
  -- No reference: it outlives a pass that is wiped.
  pass_id     text collate "C" not null,
  event_type  text not null check (event_type in ('save', 'del')),
  -- By the installation's clock. Messages are good for as long each, so this is their order too.
  expires_at  bigint not null
);
create index on google_callbacks (expires_at);
create index on google_callbacks (pass_id, expires_at) where event_type = 'del';
