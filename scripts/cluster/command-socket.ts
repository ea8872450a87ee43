// The socket over which the commands reach the cluster that runs: HTTP with JSON on a Unix socket
// of mode 0600.
import { chmodSync, rmSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import { join } from 'node:path'
import type { Result } from '../../shared/result.ts'

/** A command may wait for an engine that starts or loses its disk, or for copies of a database. */
const ANSWER_MS_MAX = 120_000

/** No socket, or one that a cluster left which was killed. */
const ABSENT: readonly string[] = ['ENOENT', 'ECONNREFUSED']
const CUT = 'The cluster cut the call, and may have done the command: '

export interface ClusterCommand {
  command: string
  name?: string | undefined
  /** Absent: the first shard, or for an accident of a machine every shard. */
  shard?: string | undefined
  force: boolean
}

function socketOf(directory: string): string {
  return join(directory, 'cluster.sock')
}

/**
 * Sends a command to the cluster of the directory; its answer, or why there is none. A command that
 * is not answered in time goes on all the same.
 */
export function askCluster(
  directory: string,
  command: ClusterCommand,
  answerMsMax = ANSWER_MS_MAX,
): Promise<Result<string, string>> {
  const body = JSON.stringify(command)
  return new Promise((resolve) => {
    const absent = 'No cluster runs in ' + directory + ': npm run cluster'
    const late =
      'No answer in ' +
      Math.ceil(answerMsMax / 1000) +
      ' s; the command may still be going on: npm run cluster -- status'
    const asked = request(
      { socketPath: socketOf(directory), method: 'POST', path: '/' },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => {
          text += part
        })
        response.on('error', (error) => resolve({ ok: false, error: String(error) }))
        response.on('end', () =>
          resolve(
            response.statusCode === 200 ? { ok: true, value: text } : { ok: false, error: text },
          ),
        )
      },
    )
    asked.setTimeout(answerMsMax, () => {
      resolve({ ok: false, error: late })
      asked.destroy()
    })
    asked.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      const error = code !== undefined && ABSENT.includes(code) ? absent : CUT + message
      resolve({ ok: false, error })
    })
    asked.end(body)
  })
}

/** Takes commands until the server is closed; a throw of `run` is the sentence of a refusal. */
export async function takeCommands(
  directory: string,
  run: (command: ClusterCommand) => Promise<string>,
): Promise<Server> {
  const path = socketOf(directory)
  rmSync(path, { force: true })
  const server = createServer((asked, response) => {
    let text = ''
    asked.setEncoding('utf8')
    asked.on('data', (part: string) => {
      text += part
    })
    asked.on('end', () => {
      Promise.resolve(text)
        .then((command) => run(JSON.parse(command) as ClusterCommand))
        .then(
          (answer) => response.writeHead(200).end(answer),
          (error) =>
            response.writeHead(409).end(error instanceof Error ? error.message : String(error)),
        )
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)
  return server
}
