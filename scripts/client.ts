// `npm run client`: writes the client's types from the API's document and builds the package.
import { writeFileSync } from 'node:fs'
import { runCommand } from '../shared/command-line.ts'

const HELP = `Usage: npm run client

Writes client/generated.ts from the API's document and builds the package into client/dist.
Then: npm pack ./client`

/** The exit code. */
async function main(): Promise<number> {
  const { openApiDocument } = await import('../api/documents/openapi.ts')
  const { ROUTES } = await import('../api/routes.ts')
  const { buildClient, CLIENT } = await import('./client/build.ts')
  const { clientTypes } = await import('./client/write-types.ts')
  writeFileSync(CLIENT + 'generated.ts', clientTypes(openApiDocument(ROUTES)))
  const problems = buildClient(CLIENT + 'dist')
  process.stderr.write(problems.map((problem) => problem + '\n').join(''))
  return problems.length === 0 ? 0 : 1
}

await runCommand({ help: HELP, flags: [], run: main })
