// `npm run readme`: writes the table of settings into shared/README.md from the table that
// validates them.
import { readFileSync, writeFileSync } from 'node:fs'
import { runCommand } from '../shared/command-line.ts'
import { SETTINGS } from '../shared/settings.ts'

const README = new URL('../shared/README.md', import.meta.url)
const BEGIN = '<!-- settings -->'
const END = '<!-- /settings -->'

/** The README with the settings as they are now. */
export function withSettings(readme: string): string {
  const rows = Object.entries(SETTINGS).map(
    ([name, { fallback, about }]) =>
      '| `' + name + '` | ' + (fallback === '' ? '' : '`' + fallback + '`') + ' | ' + about + ' |',
  )
  const table = ['', '| Variable | Default | |', '|---|---|---|', ...rows, ''].join('\n')
  const [before, rest] = [readme.indexOf(BEGIN) + BEGIN.length, readme.indexOf(END)]
  return readme.slice(0, before) + table + readme.slice(rest)
}

const HELP = 'Usage: npm run readme\n\nWrites the settings table of shared/README.md.'

/** The exit code. */
async function main(): Promise<number> {
  writeFileSync(README, withSettings(readFileSync(README, 'utf8')))
  return 0
}

if (import.meta.main) await runCommand({ help: HELP, flags: [], run: main })
