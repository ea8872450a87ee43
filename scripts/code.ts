// `npm run code`: the present code of the second factor of the sandbox's owner, as an authenticator
// shows it.
import { parseArgs } from 'node:util'
import { refuse, runCommand } from '../shared/command-line.ts'

const HELP = `Prints the current code of the second factor of the sandbox's owner, as an authenticator app would show it.

  npm run code [-- --data-dir DIR]

  --data-dir DIR   data directory of the running service (default: SVC_DATA_DIR, else .data)
  --help           this text

The service accepts each code once, up to half a minute before and after its own time.
`

/** The exit code. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { 'data-dir': { type: 'string' } },
  })
  const { dataDirectory } = await import('./simulate/config.ts')
  const { readSandboxSecrets } = await import('./start/sandbox-secrets.ts')
  const { Secret, TOTP } = await import('otpauth')
  const directory =
    values['data-dir'] === undefined
      ? dataDirectory()
      : { ok: true as const, value: values['data-dir'] }
  if (!directory.ok) return refuse(directory.error)
  const owner = readSandboxSecrets(directory.value)?.owner
  if (owner === undefined)
    return refuse('There is no sandbox in ' + directory.value + ': run npm start first.')
  process.stdout.write(new TOTP({ secret: Secret.fromBase32(owner.totp_secret) }).generate() + '\n')
  return 0
}

await runCommand({ help: HELP, run: main })
