// Rows about payments that the API does not show, read from the database beside the service. The
// holder's approval is checked again here, offline: the passkey's signature over the terms.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { partyOf } from '../../api/http/relying-party.ts'
import { type Approval, approvalHash } from '../../api/payments/chain/terms.ts'
import { withdrawalHash } from '../../api/payments/chain/withdrawal-terms.ts'
import { verifyAssertion } from '../../api/payments/passkeys/assertion.ts'
import type { EpochMs } from '../../shared/clock.ts'
import type { Result } from '../../shared/result.ts'
import { unitsOfCents } from '../../shared/token-units.ts'
import { CHAIN_DIRECTORY, CHAIN_FILE } from '../chain-peer/config.ts'

export interface Approved {
  confirmedAt: EpochMs
  /** The check that the stored assertion fails now; null: it holds. */
  problem: string | null
  /** Whether the digest is that of the stored terms; null where no chain is described here. */
  termsMatch: boolean | null
  /** Whether the contract confirmed it then; null where no RPC answered. */
  confirmedByChain: boolean | null
  origin: string
  address: string | null
}

export interface Attempt {
  nonce: number
  attempt: number
  hash: string
  max_fee_wei: string
  sent_block: number | null
  final_block: number | null
}

interface SignedRow {
  confirmedAt: EpochMs
  hash: Buffer
  credentialId: Buffer
  x: Buffer
  y: Buffer
  assertion: {
    authenticator_data: string
    client_data: string
    signature: string
    confirmed_by_chain: boolean | null
    address: string | null
  }
}

interface ApprovedRow extends SignedRow {
  salt: Buffer
  validUntil: number
  limitCents: number
  payee: string
  recovery: string | null
}

interface WithdrawnRow extends SignedRow {
  account: string
  chainId: number
  nonce: number
  cents: number
  recipient: string
}

const NOBODY = '0x' + '0'.repeat(40)

/** Null where the holder has not approved with a passkey. */
export function readApproval(
  url: string,
  paymentId: string,
  dataDir: string,
): Promise<Result<Approved | null, string>> {
  return reading(url, async (sql) => {
    const [row] = await sql<ApprovedRow[]>`
      select p.confirmed_at as "confirmedAt", p.approval_hash as hash, p.approval_salt as salt,
        p.approval_valid_until as "validUntil", p.amount_cents as "limitCents", s.address as payee,
        a.credential_id as "credentialId", a.public_x as x, a.public_y as y,
        a.recovery_address as recovery, p.assertion
      from payments p join settlement_accounts s on s.id = p.settlement_account_id
        join payment_accounts a on a.id = p.payment_account_id
      where p.id = ${paymentId} and p.assertion is not null and p.confirmed_at is not null`
    return row === undefined ? null : approvedBy(row, termsMatch(row, dataDir))
  })
}

/** Like the function above, for a mandate. */
export function readMandateApproval(
  url: string,
  mandateId: string,
  dataDir: string,
): Promise<Result<Approved | null, string>> {
  return reading(url, async (sql) => {
    const [row] = await sql<ApprovedRow[]>`
      select m.confirmed_at as "confirmedAt", m.approval_hash as hash, m.approval_salt as salt,
        m.approval_valid_until as "validUntil", m.limit_cents as "limitCents", s.address as payee,
        a.credential_id as "credentialId", a.public_x as x, a.public_y as y,
        a.recovery_address as recovery, m.assertion
      from payment_mandates m join settlement_accounts s on s.id = m.settlement_account_id
        join payment_accounts a on a.id = m.payment_account_id
      where m.id = ${mandateId} and m.assertion is not null and m.confirmed_at is not null`
    return row === undefined ? null : approvedBy(row, termsMatch(row, dataDir))
  })
}

/** Like the functions above, for a withdrawal: its terms name the chain themselves. */
export function readWithdrawalApproval(
  url: string,
  withdrawalId: string,
): Promise<Result<Approved | null, string>> {
  return reading(url, async (sql) => {
    const [row] = await sql<WithdrawnRow[]>`
      select w.confirmed_at as "confirmedAt", w.withdrawal_hash as hash, w.chain_id as "chainId",
        w.nonce, w.amount_cents as cents, w.recipient, a.address as account,
        a.credential_id as "credentialId", a.public_x as x, a.public_y as y, w.assertion
      from payment_withdrawals w join payment_accounts a on a.id = w.payment_account_id
      where w.id = ${withdrawalId} and w.assertion is not null and w.confirmed_at is not null`
    if (row === undefined) return null
    const { chainId, nonce } = row
    const [account, to] = [row.account as `0x${string}`, row.recipient as `0x${string}`]
    const terms = { account, chainId, nonce, amount: unitsOfCents(row.cents), to }
    return approvedBy(row, withdrawalHash(terms) === hexOf(row.hash))
  })
}

function approvedBy(row: SignedRow, matches: boolean | null): Approved {
  const { credentialId, x, y, hash: challenge, assertion } = row
  const client = JSON.parse(Buffer.from(assertion.client_data, 'base64url').toString())
  const origin = String(client.origin)
  const sent = {
    credential_id: credentialId.toString('base64url'),
    authenticator_data: assertion.authenticator_data,
    client_data_json: assertion.client_data,
    signature: assertion.signature,
  }
  const party = partyOf(origin)
  const verified = verifyAssertion(sent, { credentialId, x, y, challenge, party })
  return {
    ...{ confirmedAt: row.confirmedAt, problem: verified.ok ? null : verified.error, origin },
    ...{ termsMatch: matches, confirmedByChain: assertion.confirmed_by_chain },
    address: assertion.address,
  }
}

function termsMatch(row: ApprovedRow, dataDir: string): boolean | null {
  const path = join(dataDir, CHAIN_DIRECTORY, CHAIN_FILE)
  if (!existsSync(path)) return null
  const { chain_id: chainId, settlement } = JSON.parse(readFileSync(path, 'utf8'))
  const terms: Approval = {
    ...{ x: hexOf(row.x), y: hexOf(row.y), payee: row.payee as `0x${string}` },
    ...{ salt: hexOf(row.salt), recovery: (row.recovery ?? NOBODY) as `0x${string}` },
    limit: unitsOfCents(row.limitCents),
    validUntil: BigInt(row.validUntil),
  }
  return approvalHash({ chainId, settlement }, terms) === hexOf(row.hash)
}

function hexOf(bytes: Buffer): `0x${string}` {
  return `0x${bytes.toString('hex')}`
}

/** Signed transactions of a batch or a withdrawal, the oldest first. */
export function readAttempts(url: string, id: string): Promise<Result<Attempt[], string>> {
  return reading(
    url,
    (sql) => sql<Attempt[]>`
      select nonce, attempt, '0x' || encode(hash, 'hex') as hash, max_fee_wei::text as max_fee_wei,
        sent_block, final_block
      from settlement_attempts where batch_id = ${id} or withdrawal_id = ${id}
      order by nonce, attempt`,
  )
}

async function reading<Value>(
  url: string,
  rows: (sql: Sql) => PromiseLike<Value>,
): Promise<Result<Value, string>> {
  const sql = openPool(url, { max: 1, applicationName: 'svc-explain' })
  try {
    return { ok: true, value: await rows(sql) }
  } catch {
    return { ok: false, error: 'unknown: the database does not answer' }
  } finally {
    await sql.end({ timeout: 1 })
  }
}
