// The process that plays the outside parties of the sandbox; `npm start` runs it.
import { refuse, runCommand } from '../../shared/command-line.ts'
import { createLog, type Logger } from '../../shared/log.ts'
import { onceToldToStop, signalReady } from '../../shared/parent.ts'
import type { Result } from '../../shared/result.ts'
import { readOutsidePartiesConfig } from './config.ts'
import { PARTIES, PARTY_NAMES, type PartyName } from './parties.ts'
import type { ConfiguredParty, PlayedParty } from './party.ts'

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
  const played: PlayedParty[] = []
  onceToldToStop(() => void close(played))
  // Together: a chain deploys its contracts for a second or two.
  await Promise.all(
    configured.map(async ({ name, party }) => {
      if (party.ok) played.push(await play(name, party.value, log))
    }),
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
async function play(name: PartyName, party: ConfiguredParty, log: Logger): Promise<PlayedParty> {
  const own = log.child({ party: name })
  try {
    const played = await party.start(own)
    own.info({ url: played.url }, 'outside party listens')
    return played
  } catch (error) {
    own.fatal({ err: error, port: party.port }, 'outside party cannot start on 127.0.0.1')
    process.exit(1)
  }
}

/** Ends the process once every party that must write something has ended. */
async function close(played: readonly PlayedParty[]): Promise<void> {
  await Promise.all(played.map((party) => party.close?.()))
  process.exit(0)
}

await runCommand({ help, flags: [], run: main })
