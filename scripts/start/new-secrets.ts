// Fresh credentials of the sandbox, for a data directory without them or with those of an older
// version. Apart from the file of the secrets: outside parties read that, and hash no password.
import { newApiKey, newOperatorKey } from '../../shared/api-key.ts'
import type { EpochMs } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { newSecret, type SandboxSecrets, SECRETS_FORMAT } from './sandbox-secrets.ts'
import { newOwner } from './seed/seed-owner.ts'

/**
 * Fresh secrets for the keys, the network, the operator and the owner; nothing of it exists
 * anywhere yet.
 */
export function newSandboxSecrets(now: EpochMs, demoTenantPort: number): SandboxSecrets {
  return {
    format: SECRETS_FORMAT,
    tenant_id: newId('ten', now),
    network: { key_id: newId('nkey', now), secret: newSecret('nsec_') },
    keys: {
      read: newApiKey('secret', 'sandbox'),
      write: newApiKey('secret', 'sandbox'),
      admin: newApiKey('secret', 'sandbox'),
      publishable: newApiKey('publishable', 'sandbox'),
    },
    demo_tenant: { port: demoTenantPort, former_ports: [] },
    operator: newOperator(now),
    owner: newOwner(now),
    programs: {},
    cards: {},
  }
}

/** Adds the credentials that a newer version has and the file of an older one lacks. */
export function completeSandboxSecrets(secrets: SandboxSecrets, now: EpochMs): SandboxSecrets {
  return {
    ...secrets,
    operator: secrets.operator ?? newOperator(now),
    owner: secrets.owner ?? newOwner(now),
  }
}

function newOperator(now: EpochMs): { id: string; key: string } {
  return { id: newId('op', now), key: newOperatorKey() }
}
