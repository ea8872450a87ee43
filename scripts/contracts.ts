// `npm run contracts`: compiles the contracts of payments to the artifacts that are checked in.
// The compiler (solc-js) and OpenZeppelin are development dependencies: nothing compiles at run
// time.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { runCommand } from '../shared/command-line.ts'

const ROOT = join(import.meta.dirname, '..')
const CONTRACTS = join(ROOT, 'api/payments/contracts')
const ARTIFACTS = join(CONTRACTS, 'artifacts')
const REMAPPED = /^@openzeppelin\//

const SOURCES: { readonly [name: string]: string } = {
  HolderAccount: 'HolderAccount.sol',
  Settlement: 'Settlement.sol',
  UsdToken: 'sandbox/UsdToken.sol',
}

/** The same as `foundry.toml` says; a test compares the code that both make. */
const SETTINGS = {
  optimizer: { enabled: true, runs: 1000 },
  evmVersion: 'osaka',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode'] } },
}

interface Compiled {
  abi: unknown
  evm: {
    bytecode: { object: string }
    deployedBytecode: {
      object: string
      immutableReferences?: { [id: string]: { start: number; length: number }[] }
    }
  }
}

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: { [file: string]: { [name: string]: Compiled } }
}

interface Solc {
  version(): string
  compile(input: string, callbacks: { import(path: string): { contents: string } }): string
}

/** The text of every artifact by its file name. Throws with the compiler's messages. */
export function compileContracts(): { readonly [file: string]: string } {
  const solc = createRequire(import.meta.url)('solc') as Solc
  const read = new Map<string, string>()
  const load = (path: string): string => {
    const from = REMAPPED.test(path) ? join(ROOT, 'node_modules', path) : join(CONTRACTS, path)
    const text = readFileSync(from, 'utf8')
    read.set(path, text)
    return text
  }
  const sources = Object.values(SOURCES).map((path) => [path, { content: load(path) }] as const)
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(sources),
    settings: SETTINGS,
  }
  const output = JSON.parse(
    solc.compile(JSON.stringify(input), { import: (path) => ({ contents: load(path) }) }),
  ) as CompilerOutput
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new Error(errors.map((each) => each.formattedMessage).join('\n'))
  const origin = { compiler: solc.version(), sources_sha256: hashOf(read) }
  return Object.fromEntries(
    Object.entries(SOURCES).map(([name, path]) => [
      name + '.json',
      artifactOf(output.contracts[path]?.[name], origin),
    ]),
  )
}

function artifactOf(compiled: Compiled | undefined, origin: object): string {
  if (compiled === undefined) throw new Error('The compiler made no such contract.')
  const { bytecode, deployedBytecode } = compiled.evm
  const immutables = Object.values(deployedBytecode.immutableReferences ?? {})
    .flat()
    .sort((one, other) => one.start - other.start)
  const artifact = {
    ...origin,
    abi: compiled.abi,
    bytecode: '0x' + bytecode.object,
    deployed_bytecode: '0x' + deployedBytecode.object,
    // Places in the deployed code that the constructor fills.
    immutables,
  }
  return JSON.stringify(artifact, null, 1) + '\n'
}

function hashOf(read: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256')
  for (const [path, text] of [...read].sort(([one], [other]) => (one < other ? -1 : 1)))
    hash.update(path + '\0' + text + '\0')
  return hash.digest('hex')
}

const HELP = `Usage: npm run contracts

Compiles the contracts of payments and writes api/payments/contracts/artifacts.`

/** The exit code. */
async function main(): Promise<number> {
  mkdirSync(ARTIFACTS, { recursive: true })
  for (const [file, text] of Object.entries(compileContracts()))
    writeFileSync(join(ARTIFACTS, file), text)
  return 0
}

if (import.meta.main) await runCommand({ help: HELP, flags: [], run: main })
