// The entry of the front door: its help, which loads none of its parts, then the process.
import { shouldRun } from '../../shared/command-line.ts'
import { settingsUsage } from '../../shared/settings.ts'
import { DOOR_SETTINGS } from '../setting-names.ts'

const help = (): string =>
  'Usage: npm run door\n\nTakes network messages for whichever engine owns the shard, and sends what is\n' +
  'unanswered to the next owner.\n\nSettings (environment):\n' +
  settingsUsage(DOOR_SETTINGS)

if (await shouldRun({ help, flags: [] })) await (await import('./process.ts')).main()
