-- A session gets another cookie after a second factor. For requests under way the cookie of before
-- stands for it, for seconds and with the factor of before.
alter table sessions add column stands_for text references sessions on delete cascade;
create index on sessions (stands_for) where stands_for is not null;
