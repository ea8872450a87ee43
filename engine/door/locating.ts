// The copy of the configuration with which a front door finds the shard of a card, and the keys and
// currencies for its links of ISO 8583.
import { join } from 'node:path'
import type { Clock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { unsealer } from '../../shared/keyring.ts'
import type { Logger } from '../../shared/log.ts'
import { openConfigCache } from '../config-cache/config-cache.ts'
import type { KeptSocket } from '../control/kept-socket.ts'
import { openSecrets } from '../keys.ts'
import type { SignedMessage } from '../line/receive.ts'
import type { DoorConfig } from './config.ts'
import { openConfigSocket } from './config-socket.ts'
import type { Place } from './held-messages.ts'
import { LookUp } from './look-up.ts'

export interface Locating {
  /** Where a message belongs; null where no shard decides for it now. */
  place(raw: SignedMessage, look: number): Place | null
  /** True for the id of a network key. */
  knowsKey(keyId: string): boolean
  /** The currency of a card that a link of this key may see; null where it is not known here. */
  currency: LookUp['currency']
  /** Why no card can be found now; null where it can. */
  unready(): string | null
  /** Opens the socket for config records; rejects where a running door holds it. */
  listen(unready: () => string | null): Promise<void>
  close(): Promise<void>
}

export interface LocatingParts {
  config: DoorConfig
  clock: Clock
  log: Logger
  onFatal(reason: string): void
}

/** Opens the door's own copy, complete or not. */
export function openLocating({ config, clock, log, onFatal }: LocatingParts): Locating {
  const { masterKeys, reloadKeys, shards } = config
  const directory = join(config.settings.SVC_DATA_DIR, 'door-facts')
  const configCache = openConfigCache({ directory, clock, log, onFailed: onFatal })
  const secrets = openSecrets({ configCache, log, unseal: unsealer(masterKeys, reloadKeys) })
  const fingerprint = (pan: string): string | null => secrets.derivation()?.fingerprint(pan) ?? null
  const lookUp = new LookUp({ configCache, shards, fingerprint })
  let socket: KeptSocket | null = null
  return {
    // Without a copy nothing is known of any card: an engine would decline all of them.
    place: (raw, look) => (configCache.cursor === null ? null : lookUp.place(raw, look)),
    knowsKey: (keyId) => configCache.networkKeys().some(({ id }) => id === keyId),
    currency: (...of) => lookUp.currency(...of),
    unready: () => (configCache.cursor === null ? 'The configuration is not complete yet.' : null),
    async listen(unready) {
      const doorId = newId('door', clock.nowMs())
      const { doorSocket: socketPath } = config
      socket = await openConfigSocket({ socketPath, clock, log, configCache, doorId, unready })
    },
    async close() {
      await socket?.close()
      await configCache.close()
    },
  }
}
