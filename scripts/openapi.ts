// `npm run openapi`: writes an OpenAPI document of the API to standard output, as GET /openapi.json
// answers it.
import { runCommand } from '../shared/command-line.ts'

const OPERATOR = '--operator'
const HELP = `Usage: npm run openapi [-- ${OPERATOR}]

Writes the API's OpenAPI 3.1 document to standard output: that of tenants, or with ${OPERATOR}
that of the operators of the installation.`

/** The exit code. */
async function main(): Promise<number> {
  const { openApiDocument } = await import('../api/documents/openapi.ts')
  const { ROUTES } = await import('../api/routes.ts')
  const audience = process.argv.includes(OPERATOR) ? 'operator' : 'tenant'
  process.stdout.write(JSON.stringify(openApiDocument(ROUTES, { audience }), null, 2) + '\n')
  return 0
}

await runCommand({ help: HELP, flags: [OPERATOR], run: main })
