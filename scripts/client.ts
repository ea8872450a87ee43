// `npm run client`: writes the client's types from the API's document, and packs the client.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../shared/command-line.ts'

const CLIENT = join(import.meta.dirname, '../client')
const PACKAGE = join(CLIENT, 'svc-client.tgz')
const HELP = `Usage: npm run client

Writes client/generated.ts from the API's document and packs client/svc-client.tgz, which
the API serves as /docs/svc-client.tgz. Then: npm install ./client/svc-client.tgz`

/** The exit code. */
async function main(): Promise<number> {
  const { clientPackage } = await import('../api/documents/client-package.ts')
  const { openApiDocument } = await import('../api/documents/openapi.ts')
  const { ROUTES } = await import('../api/routes.ts')
  const { clientTypes } = await import('./client/write-types.ts')
  writeFileSync(join(CLIENT, 'generated.ts'), clientTypes(openApiDocument(ROUTES)))
  writeFileSync(PACKAGE, await clientPackage())
  return 0
}

await runCommand({ help: HELP, flags: [], run: main })
