// The process that plays the outside parties of the sandbox; `npm start` runs it.
import { refuse, runCommand } from '../../shared/command-line.ts'
import { createLog, type Logger } from '../../shared/log.ts'
import { onceToldToStop, signalReady } from '../../shared/parent.ts'
import type { Result } from '../../shared/result.ts'
import { readOutsidePartiesConfig } from './config.ts'
import { PARTIES, PARTY_NAMES, type PartyName } from './parties.ts'
import type { ConfiguredParty } from './party.ts'

const HELP = `The outside parties of the sandbox; npm start runs them, except those that its settings name elsewhere.

  node scripts/outside-parties/main.ts [--help]

SVC_OUTSIDE_PARTIES names those to play, with commas between them; unset plays all: ${PARTY_NAMES.join(', ')}.
`

async function help(): Promise<string> {
  const parties = await Promise.all(PARTY_NAMES.map(async (name) => (await PARTIES[name]()).help))
  return [HELP, ...parties].join('\n')
}

/** The exit code; the process then lives as long as a party listens. */
async function main(): Promise<number> {
  const config = readOutsidePartiesConfig()
  if (!config.ok) return refuse(config.error.join('\n'))
  const { parties, logLevel } = config.value
  const configured = await Promise.all(parties.map(configure))
  const problems = configured.flatMap(({ party }) => (party.ok ? [] : party.error))
  if (problems.length > 0) return refuse(problems.join('\n'))
  const log = createLog({ name: 'outside-parties', level: logLevel })
  onceToldToStop(() => process.exit(0))
  // Together: a chain deploys its contracts for a second or two.
  await Promise.all(
    configured.map(({ name, party }) => (party.ok ? play(name, party.value, log) : undefined)),
  )
  signalReady()
  return 0
}

async function configure(
  name: PartyName,
): Promise<{ name: PartyName; party: Result<ConfiguredParty, readonly string[]> }> {
  return { name, party: (await PARTIES[name]()).configure() }
}

/** Ends the process where a party cannot start, so that the supervisor starts it again. */
async function play(name: PartyName, party: ConfiguredParty, log: Logger): Promise<void> {
  const own = log.child({ party: name })
  try {
    const { url } = await party.start(own)
    own.info({ url }, 'outside party listens')
  } catch (error) {
    own.fatal({ err: error, port: party.port }, 'outside party cannot start on 127.0.0.1')
    process.exit(1)
  }
}

await runCommand({ help, flags: [], run: main })
