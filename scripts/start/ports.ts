// Checks the ports before anything is started, and names one that another program uses or that we
// may not open.
import { createServer } from 'node:net'

export interface PortUse {
  /** The variables that move it. */
  setting: string
  hostSetting: string
  host: string
  port: number
}

/** One sentence per port that cannot be had; empty when all are free. */
export async function portProblems(uses: readonly PortUse[]): Promise<string[]> {
  const problems: string[] = []
  for (const use of uses) {
    const code = await tryListen(use.host, use.port)
    if (code !== null) problems.push(sentenceFor(use, code))
  }
  return problems
}

function sentenceFor(use: PortUse, code: string): string {
  const where = use.host + ':' + use.port
  if (code === 'EADDRINUSE') {
    return (
      'Port ' +
      use.port +
      ' on ' +
      use.host +
      ' is in use by another program: stop it, or set ' +
      use.setting +
      ' to a free port.'
    )
  }
  if (code === 'EACCES') {
    return (
      where +
      ' may not be listened on by this user: set ' +
      use.setting +
      ' to a port from 1024 up.'
    )
  }
  return where + ' cannot be listened on (' + code + '): check ' + use.hostSetting + '.'
}

/** Null where it can be listened on now; else the code of the error. */
export function tryListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}

/**
 * Chosen ports are below those that systems give to outgoing calls: a process that starts later, or
 * again, finds its port free. Those from `PORT_END` to 32,000 belong to the tests.
 */
const PORT_MIN = 15_000
export const PORT_END = 24_000
/** Ports that a process chooses before those of another: they are listened on only later. */
const OWN_PORTS = 20

let next = PORT_MIN + ((process.pid * OWN_PORTS) % (PORT_END - PORT_MIN))

/** A loopback port that is free now: the wanted one when possible. Throws where none is found. */
export async function loopbackPort(wanted: number | null): Promise<number> {
  if (wanted !== null && (await tryListen('127.0.0.1', wanted)) === null) return wanted
  for (let tries = PORT_MIN; tries < PORT_END; tries++) {
    const port = next
    next = next + 1 < PORT_END ? next + 1 : PORT_MIN
    if ((await tryListen('127.0.0.1', port)) === null) return port
  }
  throw new Error('no port from ' + PORT_MIN + ' to ' + (PORT_END - 1) + ' is free')
}
