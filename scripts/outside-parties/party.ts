// An outside party of the sandbox, as the process that plays it sees it.
import type { Logger } from '../../shared/log.ts'
import type { Result } from '../../shared/result.ts'

export interface Party {
  /** Lines about the party for the help of the process. */
  help: string
  /** The party with its settings, or a sentence per problem. */
  configure(): Result<ConfiguredParty, readonly string[]>
}

export interface PlayedParty {
  url: string
  /** Absent where the end of the process is enough. */
  close?(): Promise<void>
}

export interface ConfiguredParty {
  /** On 127.0.0.1. */
  port: number
  /** Listens until the process ends or `close` is called; rejects where the port is taken. */
  start(log: Logger): Promise<PlayedParty>
}
