// Evidence of a passkey's approval: everything that anyone needs to verify the signature again.
import { hash } from 'node:crypto'
import type { TxSql } from '../database/transaction.ts'

/** Base64url, except for the fingerprint. */
export interface Evidence {
  /** The random part of the challenge. */
  nonce: string
  /**
   * 64 hex digits that stand for the approved call or form. Where its content may be a secret, a
   * random part that is not kept makes it impossible to guess.
   */
  fingerprint: string
  credentialId: string
  clientDataJson: string
  authenticatorData: string
  signature: string
  /** COSE key. */
  publicKey: string
}

/** The fields in one order. */
export function evidenceOf(fields: Evidence): Evidence {
  const { nonce, fingerprint, credentialId, clientDataJson } = fields
  const { authenticatorData, signature, publicKey } = fields
  return {
    ...{ nonce, fingerprint, credentialId, clientDataJson },
    ...{ authenticatorData, signature, publicKey },
  }
}

/** SHA-256 over a JSON array of the fields, in the order of the interface, without spaces. */
export function evidenceHash(evidence: Evidence): Buffer {
  return hash('sha256', JSON.stringify(Object.values(evidenceOf(evidence))), 'buffer')
}

/** Keeps the evidence beside its audit row. Rows are never changed or deleted. */
export async function insertEvidence(
  sql: TxSql,
  { auditId, evidence }: { auditId: string; evidence: Evidence },
): Promise<void> {
  await sql`
    insert into factor_evidence (audit_id, evidence)
    values (${auditId}, ${JSON.stringify(evidence)}::text::jsonb)`
}
