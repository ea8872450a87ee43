// The preload of our own threads and of processes that a process of ours starts. Without it Node
// strips the types of their sources itself and loads a WebAssembly compiler for that, once per
// thread.
import { fileURLToPath } from 'node:url'

const COMPILED_SOURCES = fileURLToPath(new URL('../scripts/compiled-sources.cjs', import.meta.url))

/**
 * Options of Node for a thread: our own preload alone. Other modules that the process was told to
 * load first, for example those of a test runner, are not for its threads.
 */
export const THREAD_OPTIONS: readonly string[] = ['-r', COMPILED_SOURCES]
