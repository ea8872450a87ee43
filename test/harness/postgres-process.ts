// A process that starts a PostgreSQL in the directory it is given, says its pid, and waits to be
// killed.
import { startPostgres } from '../../scripts/postgres.ts'

const [directory] = process.argv.slice(2)
if (directory === undefined) throw new Error('started by hand')
const postgres = await startPostgres({ directory })
process.stdout.write(postgres.pid + '\n')
await postgres.exited
