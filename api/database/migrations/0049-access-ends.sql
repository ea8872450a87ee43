-- Keys and credentials with an end, credentials of operators bound to addresses, and calls of
-- operators that need a second operator.

alter table api_keys
  -- By the tenant's clock; null: none.
  add column expires_at bigint;
create index api_keys_ending on api_keys (expires_at)
  where expires_at is not null and state <> 'revoked';

drop trigger credential_changed on api_keys;
create trigger credential_changed
  after insert or delete or update of
    hash, tenant_id, environment, role, scope, state, revoke_at, cidrs, expires_at on api_keys
  for each row execute function credential_changed();

alter table operators
  -- Installation time; null: none.
  add column expires_at bigint,
  -- Address ranges from which the credential works; empty: every address.
  add column cidrs text[] not null default '{}';

create table operator_approvals (
  id           text primary key,
  -- The operator who made the call, and may make it again after another one approved it.
  operator_id  text not null references operators,
  -- The effect of the call, in a sentence.
  operation    text not null,
  method       text not null,
  path         text not null,
  -- Fields of the body as the other operator reads them: [{name, value}].
  fields       jsonb not null,
  -- 64 hex digits over method, path, query and body.
  fingerprint  text not null,
  request_id   text not null,
  state        text not null default 'pending' check (state in ('pending', 'approved', 'denied')),
  created_at   bigint not null,
  -- End of the time to decide, and to make the call.
  expires_at   bigint not null,
  decided_at   bigint,
  decided_by   text references operators,
  used_at      bigint,
  -- Request id of the call that used it.
  used_by      text,
  check ((state = 'pending') = (decided_at is null)),
  check ((state = 'pending') = (decided_by is null)),
  check (decided_by <> operator_id),
  check (used_at is null or state = 'approved')
);
create index on operator_approvals (operator_id, fingerprint);
create index on operator_approvals (created_at);
