// `npm run openapi`: writes an OpenAPI document of the API to standard output, as GET /openapi.json
// answers it.
import { openApiDocument } from '../api/documents/openapi.ts'
import { ROUTES } from '../api/routes.ts'
import { usageExit } from '../shared/command-line.ts'

const OPERATOR = '--operator'
const USAGE = `Usage: npm run openapi [-- ${OPERATOR}]

Writes the API's OpenAPI 3.1 document to standard output: that of tenants, or with ${OPERATOR}
that of the operators of the installation.`

const code = usageExit(() => USAGE, [OPERATOR])
const audience = process.argv.includes(OPERATOR) ? 'operator' : 'tenant'
if (code === null)
  process.stdout.write(JSON.stringify(openApiDocument(ROUTES, { audience }), null, 2) + '\n')
process.exitCode = code ?? 0
