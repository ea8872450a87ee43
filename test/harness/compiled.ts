// Processes of a test use what other processes compiled: each would otherwise compile the same
// hundreds of files.
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('../../scripts/compiled-sources.cjs', import.meta.url))

/** For the environment of a process of ours. */
export const COMPILED = { NODE_OPTIONS: '--require=' + JSON.stringify(SCRIPT) }
