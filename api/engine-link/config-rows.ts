// Configuration rows as config records: one statement per type, by ids or page by page.
import type { ConfigRecord, ConfigType } from '../../shared/wire/config-records.ts'
import type { SqlTag } from '../database/pool.ts'

/**
 * The selected rows: the named ones, the next page in the order of ids, or the next page of all
 * versions ever, in the order of ids and versions.
 */
export type Selection =
  | { ids: readonly string[] }
  | { after: string; most: number }
  | { history: { id: string; version: number }; most: number }

type Query = (sql: SqlTag, selection: Selection) => PromiseLike<readonly ConfigRecord[]>

/**
 * Returns the current config records of one type. An id without a row was removed since and is left
 * out.
 */
export async function readConfig(
  sql: SqlTag,
  type: ConfigType,
  selection: Selection,
): Promise<readonly ConfigRecord[]> {
  return QUERIES[type](sql, selection)
}

/** Types with kept versions: the ones that a decision names. */
export const KEPT_TYPES = ['program', 'cardholder', 'card', 'controls', 'fx_rate'] as const

const QUERIES: { readonly [Type in ConfigType]: Query } = {
  root: (sql, selection) => sql<ConfigRecord[]>`
    select 'root' as type, t.id, t.version, t.sealed
    from derivation_root t ${selected(sql, 't.id', selection)}
  `,
  network_key: (sql, selection) => sql<ConfigRecord[]>`
    select 'network_key' as type, t.id, t.version, t.network, t.environment, t.sealed_secret
    from network_keys t ${selected(sql, 't.id', selection)}
  `,
  program: (sql, selection) => sql<ConfigRecord[]>`
    select 'program' as type, t.id, t.version, t.tenant_id, t.environment, t.status, t.realtime,
      t.endpoint_id, t.stand_in, t.time_zone, tenants.api_version,
      realtime_allowed(t.tenant_id, t.environment) as realtime_entitled,
      coalesce(t.authorizations_closed, false) as authorizations_closed,
      t.stand_in_policy, t.fraud_rules, t.hold_expiry, t.hold_adjustments, t.fx_margin_bps,
      t.clock_offset_ms, t.billing_tolerance_bps, t.billing_mismatch_action, t.credit_limit, t.shard
    from ${rows(sql, 'program', 'programs', selection)} join tenants on tenants.id = t.tenant_id ${selected(sql, 't.id', selection)}
  `,
  cardholder: (sql, selection) => sql<ConfigRecord[]>`
    select 'cardholder' as type, t.id, t.version, t.program_id, t.status, t.frozen
    from ${rows(sql, 'cardholder', 'cardholders', selection)} ${selected(sql, 't.id', selection)}
  `,
  card: (sql, selection) => sql<ConfigRecord[]>`
    select * from (
      (select 'card' as type, t.id, t.version, t.tenant_id, t.environment, t.program_id,
        t.cardholder_id, t.token, t.fingerprint, t.last4, t.type as card_type, t.status,
        t.exp_month, t.exp_year, t.cvc_verifier, t.currency, t.pin_verifier,
        coalesce(t.windows_id, t.id) as windows_id, t.suspended_by, t.loss,
        null::bigint as funded_cents
      from ${rows(sql, 'card', 'cards', selection)} ${selected(sql, 't.id', selection)})
      union all
      (select 'card', t.id, t.version, t.tenant_id, t.environment, t.program_id,
        t.cardholder_id, t.id, t.id, '', 'account', case t.status
          when 'pending' then 'issued' when 'closed' then 'terminated' else t.status
        end,
        12, 9999, '', 'USD', null, coalesce(t.windows_id, t.id), null, null, t.funded_cents
      from ${rows(sql, 'card', 'payment_accounts', selection)} ${selected(sql, 't.id', selection)})
    ) t ${selected(sql, 't.id', selection)}
  `,
  controls: (sql, selection) => sql<ConfigRecord[]>`
    select 'controls' as type, t.subject_id as id, t.version, t.scope, t.controls
    from ${rows(sql, 'controls', 'controls', selection)} ${selected(sql, 't.subject_id', selection)}
  `,
  endpoint: (sql, selection) => sql<ConfigRecord[]>`
    select 'endpoint' as type, t.id, t.version, t.tenant_id, t.environment, t.url, t.status,
      array(
        select s.sealed from webhook_secrets s
        where s.endpoint_id = t.id and s.revoked_at is null order by s.slot
      ) as sealed_secrets
    from webhook_endpoints t ${selected(sql, 't.id', selection)}
  `,
  fx_rate: (sql, selection) => sql<ConfigRecord[]>`
    select 'fx_rate' as type, t.id, t.version, t.rate, t.rate_at as rate_at_ms
    from ${rows(sql, 'fx_rate', 'fx_rates', selection)} ${selected(sql, 't.id', selection)}
  `,
  authentication: (sql, selection) => sql<ConfigRecord[]>`
    select 'authentication' as type, t.id, t.version, t.card_id, t.result,
      t.expires_at as expires_at_ms
    from authentications t ${selected(sql, 't.id', selection)}
  `,
  wallet_token: (sql, selection) => sql<ConfigRecord[]>`
    select 'wallet_token' as type, t.id, t.version, t.card_id, t.provider, t.status
    from wallet_tokens t ${selected(sql, 't.id', selection)}
  `,
}

/**
 * The current table, or all its versions. Cards and payment accounts share a type, and their ids
 * tell them apart.
 */
function rows(sql: SqlTag, type: string, table: string, selection: Selection) {
  if (!('history' in selection)) return sql`${sql(table)} t`
  const { id, version } = selection.history
  return sql`(
    select (jsonb_populate_record(null::${sql(table)}, h.body)).* from config_history h
    where h.type = ${type} and (h.id, h.version) > (${id}, ${version})
      and starts_with(h.id, 'pacc_') = ${table === 'payment_accounts'}
    order by h.id, h.version limit ${selection.most}
  ) t`
}

function selected(sql: SqlTag, column: string, selection: Selection) {
  if ('history' in selection) return sql`order by ${sql(column)}, t.version limit ${selection.most}`
  return 'ids' in selection
    ? sql`where ${sql(column)} = any(${selection.ids as string[]})`
    : sql`
        where ${sql(column)} > ${selection.after} order by ${sql(column)} limit ${selection.most}
      `
}
