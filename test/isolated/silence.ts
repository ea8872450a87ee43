// A tenant that accepts every request and answers none, for stories whose clock ends its time.
import { createServer } from 'node:http'
import type { EndpointConfig, ProgramConfig } from '../../shared/wire/config-records.ts'
import { OWN_PROGRAM } from './config.ts'
import type { OwnEngine } from './engine.ts'

const HOST = '127.0.0.1'
const ENDPOINT = 'we_story'

export interface SilentTenant {
  /** Where it is asked, and the program that asks it. */
  configCache(engine: Pick<OwnEngine, 'sealedSecret'>): [EndpointConfig, ProgramConfig]
  /** Resolves when it was asked something since the last time. */
  asked(): Promise<void>
  close(): void
}

export async function openSilentTenant(): Promise<SilentTenant> {
  let heard = Promise.withResolvers<void>()
  const server = createServer(() => heard.resolve())
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port to listen on')
  const url = 'http://' + HOST + ':' + address.port + '/silent'
  return {
    configCache: ({ sealedSecret }) => [
      {
        type: 'endpoint',
        id: ENDPOINT,
        version: 1,
        tenant_id: OWN_PROGRAM.tenant_id,
        environment: OWN_PROGRAM.environment,
        url,
        status: 'enabled',
        sealed_secrets: [sealedSecret('whsec_c3Rvcnk=')],
      },
      {
        ...OWN_PROGRAM,
        version: 2,
        realtime: true,
        realtime_entitled: true,
        endpoint_id: ENDPOINT,
      },
    ],
    async asked() {
      await heard.promise
      heard = Promise.withResolvers<void>()
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
