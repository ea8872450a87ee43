// `npm run operator`: the calls that only operators of the installation may make, and the bootstrap
// of the first operator.
import { runCommand } from '../shared/command-line.ts'

await runCommand({
  help: async () => (await import('./operator/help.ts')).helpFor(process.argv.slice(2)),
  run: async () => (await import('./operator/main.ts')).main(),
})
