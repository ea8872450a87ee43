-- What happens to a card transaction after its authorization: every message about it, and every hold that ran out, is a row,
-- and the transaction keeps what they came to.

create table card_transaction_messages (
  transaction_id  text not null references card_transactions,
  -- Counts what happened to the transaction, from 1.
  sequence        integer not null check (sequence > 0),
  -- A network message's kind, or `expiry`.
  kind            text not null,
  network         text not null,
  -- Null for an expiry, which nobody sent.
  message_id      text,
  -- What it moved, in minor units of the card's currency; an advice may lower a hold.
  amount_cents    bigint not null,
  event_type      text not null,
  decline_reason  text,
  -- Of the transaction after it.
  status          text not null,
  flags           integer not null,
  happened_at     bigint not null,
  journal_seq     bigint not null,
  -- The journal entry as drained, byte for byte: what is shown of it is made from that.
  entry           bytea not null,
  primary key (transaction_id, sequence),
  unique (network, message_id)
-- An entry of some kilobytes stays in its row uncompressed: compressing cost a third of the drain.
) with (toast_tuple_target = 8160);

insert into card_transaction_messages (
  transaction_id, sequence, kind, network, message_id, amount_cents, event_type, decline_reason, status, flags,
  happened_at, journal_seq, entry
)
select id, 1, 'authorization', network, message_id, approved_cents, 'card.transaction.' || status, decline_reason,
  status, case status when 'declined' then 1 else 0 end, created_at, journal_seq, entry
from card_transactions;

alter table card_transactions
  drop constraint card_transactions_network_message_id_key,
  drop constraint card_transactions_status_check,
  drop column message_id,
  drop column journal_seq,
  drop column entry,
  add constraint card_transactions_status_check check (status in (
    'authorized', 'declined', 'reversed', 'expired', 'partially_captured', 'captured', 'partially_refunded', 'refunded'
  )),
  -- `authorization_request.kind` of the latest question.
  add column kind                    text not null default 'initial',
  -- Of the message the transaction began with; null where a first release's event is gone.
  add column network_transaction_id  text,
  -- The transaction this one is about, where the engine no longer knew it: for display.
  add column original_transaction_id text,
  -- Whether any of its questions was decided by stand-in.
  add column stand_in                boolean not null default false,
  -- The message whose decision is shown: the latest question.
  add column question_sequence       integer not null default 1,
  -- The question that was answered late.
  add column late_sequence           integer,
  -- The sums that are not 0, by name, in minor units of the card's currency.
  add column sums                    jsonb not null default '{}',
  add column flags                   integer not null default 0,
  -- When the open hold ends; 0 where none is open.
  add column hold_expires_at         bigint not null default 0;

-- The first release knew authorizations only, and let their holds stand for 31 days.
update card_transactions t set
  sums = case when status = 'authorized' and approved_cents > 0
    then jsonb_build_object('authorized', approved_cents) else '{}' end,
  flags = case status when 'declined' then 1 else 0 end,
  hold_expires_at = case status when 'authorized' then created_at + 31 * 86400000::bigint else 0 end,
  late_sequence = case when late_outcome is not null then 1 end;
update card_transactions t set
  network_transaction_id = e.transaction #>> '{message,network_transaction_id}',
  stand_in = coalesce((e.transaction #>> '{decision,stand_in}')::boolean, false)
from (
  select tenant_id, environment, resource_id, convert_from(body, 'UTF8')::json #> '{data,transaction}' as transaction
  from events where type like 'card.transaction.%'
) as e
where e.tenant_id = t.tenant_id and e.environment = t.environment and e.resource_id = t.id;

create index on card_transactions (tenant_id, environment, network_transaction_id);
create index on card_transactions (tenant_id, environment, seq) where stand_in;
create index on card_transactions (tenant_id, environment, seq) where late_outcome is not null;
-- The rare ones: a list of the others finds enough of them on its way.
create index on card_transactions (tenant_id, environment, status, seq) where status not in ('authorized', 'captured');
-- Transactions of a cardholder are those of the cards: an index less to keep for every authorization.
create index on cards (cardholder_id);
