// The address at which the engine of a start takes ISO 8583 links.
import { isLoopback } from '../../engine/iso-config.ts'
import type { Environment, StartConfig } from './config.ts'
import { loopbackPort } from './ports.ts'
import type { IsoAddress } from './sandbox-file.ts'
import type { SandboxSecrets } from './sandbox-secrets.ts'

/**
 * Where the engine takes ISO 8583 links: as configured, else a free port where only this machine
 * can reach it.
 */
export async function isoAddress(
  { iso, engine }: StartConfig,
  former: number | null,
): Promise<IsoAddress | null> {
  const { host } = engine
  if (iso.port !== null) return { host, port: iso.port }
  return isLoopback(host) ? { host, port: await loopbackPort(former) } : null
}

/** Settings with which the engine listens there. */
export function isoEnvironment(
  { iso }: StartConfig,
  address: IsoAddress | null,
  secrets: SandboxSecrets,
): Environment {
  if (address === null) return {}
  const keyId = iso.networkKeyId ?? secrets.network.key_id
  return {
    SVC_ENGINE_ISO_PORT: String(address.port),
    ...(!iso.namedByRules && { SVC_ENGINE_ISO_NETWORK: keyId }),
  }
}
