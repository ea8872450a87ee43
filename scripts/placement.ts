// `npm run placement`: where the placement groups of several shards are, and how one is moved.
import { runCommand } from '../shared/command-line.ts'

const HELP = `Usage: npm run placement
       npm run placement -- move TENANT sandbox|live SHARD [--program PROGRAM]
       npm run placement -- forget SHARD

Without words it lists the shards with their cards, and the placement groups that are not in the
first one by default. move brings a tenant's environment, or one program of it, to another shard:
it must have decided no transaction yet. Meanwhile the front doors hold its messages. A group that a
killed move left at - is moved again; one that has decided goes back to the shard that move names.

forget takes a shard out of the database that SVC_SHARDS no longer has and no group belongs to: else
its journal would keep old versions of the configuration for ever. It is for a shard whose journals
are gone for good; entries that PostgreSQL does not have are given up.

  DATABASE_URL        database (default: the database of a running npm start)
  SVC_DATA_DIR        data directory (default .data)
  SVC_SHARDS          shards of the installation
  SVC_ENGINE_SOCKET   socket of the first shard's engine; engine.sock in the data directory when unset
`

await runCommand({
  help: HELP,
  run: async () => (await import('./placement/main.ts')).main(),
})
