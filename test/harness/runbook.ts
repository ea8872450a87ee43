// A page of deploy/runbooks as a drill plays it: each command is read from the page, run by a shell
// at the root with the values of the drill, and ticked off.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { deployText } from './deploy-files.ts'

const ROOT = join(import.meta.dirname, '../..')
const COMMAND =
  /^(npm run|curl|df|du|etcdctl|openssl|select|createdb|systemctl|journalctl|timedatectl|DELETE|PATCH|POST)\b/
/** Commands of systemd and of a time service: a machine of tests has neither. */
const OF_THE_MACHINE = /^(systemctl|journalctl|timedatectl)\b/

export interface Ran {
  code: number | null
  /** Both streams. */
  output: string
}

export interface Runbook {
  /** Ticks a command off that the drill plays by other means, for example a call of the API. */
  tick(command: string): void
  /**
   * Runs a command of the page in a shell; `values` replaces words of the page. Throws where the
   * page has no such command.
   */
  run(command: string, options?: PlayOptions): Promise<Ran>
  /** Commands that no drill played, and units that do not exist. */
  left(): string[]
}

export interface PlayOptions {
  /** By the words of the page that they stand for. */
  values?: { readonly [word: string]: string }
  environment?: { readonly [name: string]: string }
}

/** Opens a page by its name, for example `disk-full`. */
export function openRunbook(name: string): Runbook {
  const text = deployText('runbooks/' + name + '.md').replace(/\s+/g, ' ')
  const commands = [...text.matchAll(/`([^`]+)`/g)]
    .map(([, span = '']) => span)
    .filter((span) => COMMAND.test(span))
  const played = new Set<string>()
  const tick = (command: string): void => {
    if (!commands.includes(command))
      throw new Error(name + '.md has no command ' + JSON.stringify(command))
    played.add(command)
  }
  return {
    tick,
    run(command, { values = {}, environment = {} } = {}) {
      tick(command)
      const words = Object.entries(values).reduce(
        (line, [word, value]) => line.replaceAll(word, value),
        command,
      )
      return runShell(words, environment)
    },
    left: () => [
      ...commands.filter((command) => !played.has(command) && !OF_THE_MACHINE.test(command)),
      ...commands.filter((command) => !unitExists(command)),
    ],
  }
}

function unitExists(command: string): boolean {
  const unit = /^(?:systemctl|journalctl)\b.*\b(svc[a-z-]*)\b/.exec(command)?.[1]
  return unit === undefined || existsSync(join(ROOT, 'deploy/systemd', unit + '.service'))
}

function runShell(line: string, environment: { readonly [name: string]: string }): Promise<Ran> {
  const child = spawn('sh', ['-c', line], { cwd: ROOT, env: { ...process.env, ...environment } })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      output += bytes
    })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })))
}
