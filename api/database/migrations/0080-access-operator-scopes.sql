-- Credentials of operators that may do less than everything. Only one that may do everything
-- belongs to a person, because pages do not ask for the scope.
alter table operators
  add column scope text not null default 'all' check (scope in ('all', 'read', 'rates')),
  add check (scope = 'all' or identity_id is null);
