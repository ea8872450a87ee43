-- Ids of 3DS transactions are given from outside: what one tenant recorded never stands in the way of another. The fact is
-- named after its card as well, the row in the API after its owner.

alter table authentications add column three_ds_id text;
insert into config_change (type, id, version, removed)
select 'authentication', id, version + 1, true from authentications;
update authentications set three_ds_id = id, id = card_id || ':' || id;
alter table authentications alter column three_ds_id set not null;
create unique index on authentications (tenant_id, environment, three_ds_id);

-- A tenant's list without the tokens of others.
create index on wallet_tokens (tenant_id, environment, id);
