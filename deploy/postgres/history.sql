-- Rights on rows, by process. `npm run migrate -- --rights` runs it as svc_migrate after every
-- migration. Repeatable; roles that this installation does not have are passed over.
do $$
declare
  -- History: rows are added and never changed.
  added constant text := 'audit_log, factor_evidence, ledger_transfers, fx_tables';
  sign_ins constant text := 'sessions, passkeys, identities, recovery_codes, sign_in_tries, '
    'webauthn_challenges, factor_resets, oauth_states, oauth_tokens, secret_key_sightings, '
    'mails, mail_proofs';
  bills constant text := 'billing_addons, billing_adjustments, billing_collections, '
    'billing_credits, billing_customers, billing_invoice_lines, billing_payment_methods, '
    'billing_portal_sessions, billing_processor_events, billing_subscriptions';
  clearing constant text := 'clearing_entries, clearing_parts, drain_quarantine, fx_rates, '
    'fx_tables';
  -- A row of these opens the API: only the api writes them.
  credentials constant text := 'operators, operator_approvals, api_keys, users, '
    'invitations, oauth_clients, oauth_grants';
  -- Tables that a process never touches.
  closed constant jsonb := jsonb_build_object(
    'svc_link', sign_ins || ', ' || bills || ', google_callbacks',
    'svc_dispatcher', clearing || ', ledger_accounts, ledger_transfers, network_keys, '
      'settlement_exceptions, settlement_wallets',
    'svc_settler', sign_ins || ', ' || bills || ', ' || clearing || ', authentications, '
      'card_reveal_tokens, card_tokens, google_callbacks, spending_control_shadow, '
      'unmatched_messages, webhook_secrets');
  name text;
begin
  foreach name in array array['svc_app', 'svc_api', 'svc_link', 'svc_dispatcher', 'svc_settler'] loop
    continue when not exists (select from pg_roles where rolname = name);
    execute format(
      'grant select, insert, update, delete on all tables in schema public to %I', name);
    execute format('grant usage, select on all sequences in schema public to %I', name);
    execute format('revoke update, delete, truncate on ' || added || ' from %I', name);
    execute format('revoke insert, update, delete, truncate on migration_history from %I', name);
    execute format('grant execute on all functions in schema public to %I', name);
    if name in ('svc_link', 'svc_settler') then
      execute format('revoke insert, update, delete, truncate on ' || credentials || ' from %I', name);
    end if;
    -- Only a job of the dispatcher makes and drops days of history.
    if name in ('svc_api', 'svc_link', 'svc_settler') then
      execute format(
        'revoke execute on function drop_day(text), make_days(bigint, integer) from %I', name);
    end if;
    if closed ? name then
      execute format('revoke all on ' || (closed ->> name) || ' from %I', name);
    end if;
  end loop;
  -- PostgreSQL lets everybody call a function. Two have the rights of their owner.
  revoke execute on all functions in schema public from public;
  if exists (select from pg_roles where rolname = 'svc_backup') then
    grant execute on all functions in schema public to svc_backup;
    revoke execute on function drop_day(text), make_days(bigint, integer) from svc_backup;
  end if;
end
$$;
