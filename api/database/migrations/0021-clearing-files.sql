-- What a card network says it cleared on a day, beside what is recorded here. Nothing of it changes a sum of a transaction.

create table clearing_files (
  id             text primary key,
  environment    text not null check (environment in ('sandbox', 'live')),
  network        text not null,
  -- The network's own id of the file.
  file_id        text not null,
  -- A day in UTC.
  business_date  date not null,
  status         text not null default 'open' check (status in ('open', 'closed')),
  entries        bigint not null default 0,
  matched        bigint not null default 0,
  created_at     bigint not null,
  closed_at      bigint,
  unique (network, environment, file_id)
);
create index on clearing_files (environment, network, business_date);

-- A file comes in parts; the same part again is known by its hash.
create table clearing_parts (
  clearing_file_id  text not null references clearing_files,
  part              integer not null check (part > 0),
  content_hash      bytea not null,
  primary key (clearing_file_id, part)
);

-- Every movement of money that a file names, by the network's message about it.
create table clearing_entries (
  clearing_file_id  text not null references clearing_files,
  environment       text not null,
  network           text not null,
  kind              text not null,
  message_id        text not null,
  primary key (network, environment, message_id, kind)
);
create index on clearing_entries (clearing_file_id);

create table clearing_exceptions (
  seq               bigint generated always as identity primary key,
  clearing_file_id  text not null references clearing_files,
  kind              text not null check (kind in (
    'amount_mismatch', 'currency_mismatch', 'missing_here', 'missing_in_file', 'named_twice'
  )),
  message_id        text not null,
  message_kind      text not null,
  -- As the file has it; null where the file does not name it.
  file_amount       bigint,
  file_currency     text,
  -- What is recorded here, and whose; null where nothing is.
  tenant_id         text references tenants,
  environment       text not null check (environment in ('sandbox', 'live')),
  transaction_id    text,
  sequence          integer,
  created_at        bigint not null,
  foreign key (transaction_id, sequence) references card_transaction_messages (transaction_id, sequence)
);
create index on clearing_exceptions (clearing_file_id, seq);
create index on clearing_exceptions (clearing_file_id, kind, seq);
create index on clearing_exceptions (tenant_id, environment, seq) where tenant_id is not null;
-- What a transaction shows of them.
create index on clearing_exceptions (transaction_id, seq) where transaction_id is not null;

-- What moved money on a day.
create index on card_transaction_messages (network, happened_at)
  where kind in ('capture', 'refund', 'capture_reversal', 'refund_reversal');
