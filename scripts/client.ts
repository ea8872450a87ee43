// `npm run client`: writes the client's types from the API's document and builds the package.
import { writeFileSync } from 'node:fs'
import { openApiDocument } from '../api/documents/openapi.ts'
import { ROUTES } from '../api/routes.ts'
import { usageExit } from '../shared/command-line.ts'
import { buildClient, CLIENT } from './client/build.ts'
import { clientTypes } from './client/write-types.ts'

const USAGE = `Usage: npm run client

Writes client/generated.ts from the API's document and builds the package into client/dist.
Then: npm pack ./client`

/** Returns the exit code. */
function run(): number {
  const code = usageExit(() => USAGE)
  if (code !== null) return code
  writeFileSync(CLIENT + 'generated.ts', clientTypes(openApiDocument(ROUTES)))
  const problems = buildClient(CLIENT + 'dist')
  process.stderr.write(problems.map((problem) => problem + '\n').join(''))
  return problems.length === 0 ? 0 : 1
}

process.exitCode = run()
