// Rows of the configuration as the engine's facts: one statement per type, by ids or page by page.
import type { Fact, FactType } from '../../shared/wire/facts.ts'
import type { SqlTag } from '../database/pool.ts'

/** Which rows: the named ones, or the next page in the order of ids. */
export type Selection = { ids: readonly string[] } | { after: string; most: number }

type Query = (sql: SqlTag, selection: Selection) => PromiseLike<readonly Fact[]>

/** The current facts of one type. An id without a row has been removed since and is left out. */
export async function readFacts(
  sql: SqlTag,
  type: FactType,
  selection: Selection,
): Promise<readonly Fact[]> {
  return QUERIES[type](sql, selection)
}

const QUERIES: { readonly [Type in FactType]: Query } = {
  root: (sql, selection) => sql<Fact[]>`
    select 'root' as type, t.id, t.version, t.sealed
    from derivation_root t ${selected(sql, 't.id', selection)}
  `,
  network_key: (sql, selection) => sql<Fact[]>`
    select 'network_key' as type, t.id, t.version, t.network, t.environment, t.sealed_secret
    from network_keys t ${selected(sql, 't.id', selection)}
  `,
  program: (sql, selection) => sql<Fact[]>`
    select 'program' as type, t.id, t.version, t.tenant_id, t.environment, t.status, t.realtime,
      t.endpoint_id, t.stand_in, t.time_zone, tenants.api_version, tenants.realtime_entitled,
      t.stand_in_policy, t.fraud_rules, t.hold_expiry, t.hold_adjustments, t.fx_margin_bps
    from programs t join tenants on tenants.id = t.tenant_id ${selected(sql, 't.id', selection)}
  `,
  cardholder: (sql, selection) => sql<Fact[]>`
    select 'cardholder' as type, t.id, t.version, t.program_id, t.status, t.frozen
    from cardholders t ${selected(sql, 't.id', selection)}
  `,
  card: (sql, selection) => sql<Fact[]>`
    select 'card' as type, t.id, t.version, t.tenant_id, t.environment, t.program_id,
      t.cardholder_id, t.token, t.fingerprint, t.last4, t.type as card_type, t.status,
      t.exp_month, t.exp_year, t.cvc_verifier, t.currency, t.pin_verifier,
      coalesce(t.windows_id, t.id) as windows_id, t.suspended_by
    from cards t ${selected(sql, 't.id', selection)}
  `,
  controls: (sql, selection) => sql<Fact[]>`
    select 'controls' as type, t.subject_id as id, t.version, t.scope, t.controls
    from controls t ${selected(sql, 't.subject_id', selection)}
  `,
  endpoint: (sql, selection) => sql<Fact[]>`
    select 'endpoint' as type, t.id, t.version, t.tenant_id, t.environment, t.url, t.status,
      array(
        select s.sealed from webhook_secrets s
        where s.endpoint_id = t.id and s.revoked_at is null order by s.slot
      ) as sealed_secrets
    from webhook_endpoints t ${selected(sql, 't.id', selection)}
  `,
  fx_rate: (sql, selection) => sql<Fact[]>`
    select 'fx_rate' as type, t.id, t.version, t.rate, t.rate_at as rate_at_ms
    from fx_rates t ${selected(sql, 't.id', selection)}
  `,
  authentication: (sql, selection) => sql<Fact[]>`
    select 'authentication' as type, t.id, t.version, t.card_id, t.result,
      t.expires_at as expires_at_ms
    from authentications t ${selected(sql, 't.id', selection)}
  `,
  wallet_token: (sql, selection) => sql<Fact[]>`
    select 'wallet_token' as type, t.id, t.version, t.card_id, t.provider, t.status
    from wallet_tokens t ${selected(sql, 't.id', selection)}
  `,
}

function selected(sql: SqlTag, column: string, selection: Selection) {
  return 'ids' in selection
    ? sql`where ${sql(column)} = any(${selection.ids as string[]})`
    : sql`
        where ${sql(column)} > ${selection.after} order by ${sql(column)} limit ${selection.most}
      `
}
