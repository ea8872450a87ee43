-- What the peers with PostgreSQL keep, and the decision as one function. Every message reads a card with its holder, its
-- program and what binds them, locks what they have spent, and writes one row for the decision and one for each spending.

create table programs (
  id text primary key,
  status text not null
);

create table cardholders (
  id text primary key,
  status text not null,
  frozen boolean not null
);

create table cards (
  id text primary key,
  program_id text not null references programs,
  cardholder_id text not null references cardholders,
  -- What a wallet says instead of the number, and a keyed hash of the number.
  token text not null unique,
  fingerprint text not null unique,
  status text not null,
  exp_month integer not null,
  exp_year integer not null,
  cvc_verifier text not null,
  currency text not null
);

-- What binds a card, and where it is limited its holder and its program. Level 1 is a program, 2 a cardholder, 3 a card.
-- Null is no limit and no list.
create table policies (
  subject_id text primary key,
  level smallint not null,
  blocked_mccs text[],
  blocked_countries text[],
  per_authorization_cents bigint,
  daily_cents bigint,
  weekly_cents bigint,
  monthly_cents bigint,
  yearly_cents bigint,
  all_time_cents bigint
);

-- What a subject has spent, in the windows of the day it last spent on: labels as 20261120, week by its Monday. One narrow row
-- without an index on what changes, and room beside it: its updates stay in their page.
create table spendings (
  subject_id text primary key,
  day integer not null default 0,
  week integer not null default 0,
  daily_cents bigint not null default 0,
  weekly_cents bigint not null default 0,
  monthly_cents bigint not null default 0,
  yearly_cents bigint not null default 0,
  all_time_cents bigint not null default 0
) with (fillfactor = 50);

-- Decision and answer by message. An approved one is a hold.
create table decisions (
  message_id text primary key,
  content text not null,
  card_id text,
  amount_cents bigint not null,
  currency text not null,
  merchant_id text not null,
  mcc text not null,
  network_transaction_id text not null,
  received_at timestamptz not null,
  transaction_id text not null,
  reason text,
  authorization_code text
);

create function authorize(
  p_message_id text, p_content text, p_token text, p_fingerprint text, p_exp_month integer, p_exp_year integer, p_cvc text,
  p_amount bigint, p_currency text, p_merchant_id text, p_mcc text, p_country text, p_network_transaction_id text,
  p_received_at timestamptz, p_day integer, p_week integer, p_transaction_id text, p_code text,
  out content text, out transaction_id text, out reason text, out authorization_code text
) language plpgsql as $$
declare
  card record;
  bound record;
begin
  content := p_content;
  transaction_id := p_transaction_id;
  if p_token is null then
    select c.*, p.status as program_status, h.status as cardholder_status, h.frozen into card
    from cards c join programs p on p.id = c.program_id join cardholders h on h.id = c.cardholder_id
    where c.fingerprint = p_fingerprint;
  else
    select c.*, p.status as program_status, h.status as cardholder_status, h.frozen into card
    from cards c join programs p on p.id = c.program_id join cardholders h on h.id = c.cardholder_id
    where c.token = p_token;
  end if;

  if not found then reason := 'card_not_found';
  elsif card.program_status <> 'active' then reason := 'program_suspended';
  elsif card.status <> 'active' then
    reason := case card.status when 'issued' then 'card_not_activated' when 'terminated' then 'card_terminated' else 'card_suspended' end;
  elsif p_day / 100 > card.exp_year * 100 + card.exp_month then reason := 'card_expired';
  elsif card.frozen then reason := 'cardholder_frozen';
  elsif card.cardholder_status <> 'active' then reason := 'cardholder_inactive';
  elsif p_exp_month <> card.exp_month or p_exp_year <> card.exp_year then reason := 'expiry_mismatch';
  elsif p_cvc <> card.cvc_verifier then reason := 'cvc_mismatch';
  elsif p_currency <> card.currency then reason := 'currency_blocked';
  else
    -- Program before holder before card: whoever locks more than one locks them in this order.
    for bound in
      select l.*, s.day,
        case when s.day = p_day then s.daily_cents else 0 end as spent_daily,
        case when s.week = p_week then s.weekly_cents else 0 end as spent_weekly,
        case when s.day / 100 = p_day / 100 then s.monthly_cents else 0 end as spent_monthly,
        case when s.day / 10000 = p_day / 10000 then s.yearly_cents else 0 end as spent_yearly,
        s.all_time_cents as spent_all_time
      from policies l join spendings s on s.subject_id = l.subject_id
      where l.subject_id in (card.program_id, card.cardholder_id, card.id)
      order by l.level
      for update of s
    loop
      if p_mcc = any (bound.blocked_mccs) then reason := 'merchant_category_blocked';
      elsif p_country = any (bound.blocked_countries) then reason := 'merchant_country_blocked';
      elsif p_amount > bound.per_authorization_cents then reason := 'limit_per_authorization';
      elsif bound.spent_daily + p_amount > bound.daily_cents then reason := 'limit_daily';
      elsif bound.spent_weekly + p_amount > bound.weekly_cents then reason := 'limit_weekly';
      elsif bound.spent_monthly + p_amount > bound.monthly_cents then reason := 'limit_monthly';
      elsif bound.spent_yearly + p_amount > bound.yearly_cents then reason := 'limit_yearly';
      elsif bound.spent_all_time + p_amount > bound.all_time_cents then reason := 'limit_all_time';
      end if;
      exit when reason is not null;
    end loop;
  end if;

  if reason is null then authorization_code := p_code; end if;
  insert into decisions values (
    p_message_id, p_content, card.id, p_amount, p_currency, p_merchant_id, p_mcc, p_network_transaction_id,
    p_received_at, transaction_id, reason, authorization_code
  ) on conflict do nothing;
  if not found then
    -- A repeat: what was answered first is answered again, and nothing is spent.
    select d.content, d.transaction_id, d.reason, d.authorization_code
    into content, transaction_id, reason, authorization_code
    from decisions d where d.message_id = p_message_id;
  elsif reason is null then
    update spendings s set
      daily_cents = case when s.day = p_day then s.daily_cents else 0 end + p_amount,
      weekly_cents = case when s.week = p_week then s.weekly_cents else 0 end + p_amount,
      monthly_cents = case when s.day / 100 = p_day / 100 then s.monthly_cents else 0 end + p_amount,
      yearly_cents = case when s.day / 10000 = p_day / 10000 then s.yearly_cents else 0 end + p_amount,
      all_time_cents = s.all_time_cents + p_amount,
      day = p_day,
      week = p_week
    where s.subject_id in (card.program_id, card.cardholder_id, card.id);
  end if;
end $$;
