// The entry of the engine process: its help, which loads none of its parts, then the process.
import { shouldRun } from '../shared/command-line.ts'
import { settingsUsage } from '../shared/settings.ts'
import { ENGINE_SETTINGS, ISO_SETTINGS, MEMBER_SETTINGS, TAKE_OVER } from './setting-names.ts'

const help = (): string =>
  'Usage: npm run engine -- [' +
  TAKE_OVER +
  ']\n\nAnswers card network messages.\n\n  ' +
  TAKE_OVER +
  '  loads beside the engine that holds the data directory, waits until that one is told to stop,\n' +
  '               and goes on from there\n\nSettings (environment):\n' +
  settingsUsage([...ENGINE_SETTINGS, ...ISO_SETTINGS, ...MEMBER_SETTINGS])

if (await shouldRun({ help, flags: [TAKE_OVER] })) await (await import('./process.ts')).main()
