// A real EVM node for the sandbox and for tests: anvil, an optional dependency for Linux x64.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const ANVIL = join(ROOT, 'node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil')
const LISTENING = /Listening on/
/** The pipe closes with its parent, however that ends: no node is left behind. */
const UNTIL_PARENT_ENDS = 'exec 3<&0; "$@" & node=$!; (read -r _ <&3; kill $node) & wait $node'

/** False where npm left the binary out. */
export const hasAnvil: boolean = existsSync(ANVIL)

export interface Anvil {
  url: string
  child: ChildProcess
  /** Resolves when the node ended. */
  exited: Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a node on a loopback port. It mines only when told to (`anvil_mine`), is final two blocks
 * behind its head, and has no accounts of a known mnemonic. Rejects with its last words when it
 * ends before it listens.
 */
export function startAnvil(options: {
  port: number
  chainId: number
  /** Keeps the state of the chain; absent: it is gone with the process. */
  stateFile?: string
}): Promise<Anvil> {
  const { stateFile } = options
  const child = spawn(
    'sh',
    [
      ...['-c', UNTIL_PARENT_ENDS, 'sh', ANVIL],
      ...['--host', '127.0.0.1', '--port', String(options.port)],
      ...['--chain-id', String(options.chainId), '--hardfork', 'osaka', '--accounts', '0'],
      ...['--slots-in-an-epoch', '1', '--enable-tx-gas-limit', '--no-mining'],
      ...(stateFile === undefined ? [] : ['--state', stateFile, '--state-interval', '1']),
    ],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  )
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  // The shell that waits for the end of the pipe goes with a node that ended by itself.
  void exited.then(() => child.stdin.end())
  return new Promise((resolve, reject) => {
    let words = ''
    const hear = (chunk: Buffer): void => {
      words = (words + chunk.toString()).slice(-2000)
      if (!LISTENING.test(words)) return
      resolve({
        url: 'http://127.0.0.1:' + options.port,
        child,
        exited,
        async stop() {
          child.stdin.end()
          await exited
        },
      })
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('error', reject)
    void exited.then(() => reject(new Error('anvil ended: ' + words)))
  })
}
