// The entry of the api process: its help, which loads none of its parts, then the process.
import { shouldRun } from '../shared/command-line.ts'
import { settingsUsage } from '../shared/settings.ts'
import { API_SETTINGS } from './setting-names.ts'

const help = (): string =>
  'Usage: npm run api\n\nServes the REST API. Settings (environment):\n' +
  settingsUsage(API_SETTINGS)

if (await shouldRun({ help, flags: [] })) await (await import('./process.ts')).main()
