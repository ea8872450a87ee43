// The entry of the dispatcher process: its help, which loads none of its parts, then the process.
import { shouldRun } from '../shared/command-line.ts'
import { settingsUsage } from '../shared/settings.ts'
import { DISPATCHER_SETTINGS } from './setting-names.ts'

const help = (): string =>
  'Usage: npm run dispatcher\n\n' +
  'Delivers events to the tenants’ endpoints; several may run. Settings (environment):\n' +
  settingsUsage(DISPATCHER_SETTINGS)

if (await shouldRun({ help, flags: [] })) await (await import('./dispatcher-process.ts')).main()
