// The entry of the settler process: its help, which loads none of its parts, then the process.
import { shouldRun } from '../../../shared/command-line.ts'
import { settingsUsage } from '../../../shared/settings.ts'
import { SETTLER_SETTINGS } from '../../setting-names.ts'

const help = (): string =>
  'Usage: npm run settler\n\n' +
  'Settles captures and refunds on the chain of each environment; several may run, one leads a\n' +
  'chain. The only process with the sponsor’s key. Settings (environment):\n' +
  settingsUsage(SETTLER_SETTINGS)

if (await shouldRun({ help, flags: [] })) await (await import('./process.ts')).main()
