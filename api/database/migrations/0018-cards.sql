-- Cards that tenants make and show: what stands on them, where they are sent, how they were lost; tokens that show a number
-- once, and tokens that stand in the place of one.

alter table cards
  -- What is printed on it: `name_on_card`. The engine never sees it, nor where it is sent.
  add column details   jsonb not null default '{}',
  add column shipping  jsonb,
  -- Of a terminated card: the network is told so.
  add column loss      text check (loss in ('lost', 'stolen'));

-- Each shows a card's number once, to whoever has the token.
create table card_reveal_tokens (
  hash         bytea primary key,
  tenant_id    text not null references tenants,
  environment  text not null check (environment in ('sandbox', 'live')),
  card_id      text not null references cards,
  fields       text[] not null,
  -- The API key.
  created_by   text not null,
  created_at   bigint not null,
  expires_at   bigint not null,
  used_at      bigint
);
create index on card_reveal_tokens (card_id);
create index on card_reveal_tokens (expires_at);

-- What a browser made of a card's details. Keyed hashes, never a number: whose card it is comes out when it is looked up.
create table card_tokens (
  id            text primary key,
  tenant_id     text not null references tenants,
  environment   text not null check (environment in ('sandbox', 'live')),
  fingerprint   text not null,
  -- Null where no CVC was given.
  cvc_verifier  text,
  last4         text not null,
  brand         text not null,
  exp_month     smallint not null,
  exp_year      smallint not null,
  created_at    bigint not null,
  expires_at    bigint not null,
  used_at       bigint
);
create index on card_tokens (tenant_id, environment, id);
create index on card_tokens (expires_at);
