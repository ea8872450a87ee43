// `npm run openapi`: writes the API's OpenAPI document to standard output, as GET /openapi.json answers it.
import { openApiDocument } from '../api/documents/openapi.ts'
import { ROUTES } from '../api/routes.ts'
import { usageExit } from '../shared/command-line.ts'

const USAGE = `Usage: npm run openapi

Writes the API's OpenAPI 3.1 document to standard output.`

const code = usageExit(() => USAGE)
if (code === null) process.stdout.write(JSON.stringify(openApiDocument(ROUTES), null, 2) + '\n')
process.exitCode = code ?? 0
