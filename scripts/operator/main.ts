// `npm run operator`: the calls that only operators of the installation may make, and the bootstrap
// of the first operator.
import { refuse, SHOW_HELP } from '../../shared/command-line.ts'
import { accessOf } from './access.ts'
import { bootstrap } from './bootstrap.ts'
import { callerOf, type Document } from './caller.ts'
import { issueNetworkKey } from './network-key.ts'
import { parseInvocation } from './options.ts'
import { networkKeyMade, operatorMade } from './show.ts'

/** The exit code. */
export async function main(): Promise<number | typeof SHOW_HELP> {
  const invocation = parseInvocation(process.argv.slice(2))
  if (!invocation.ok) return refuse(invocation.error)
  if (invocation.value.kind === 'help') return SHOW_HELP
  const { json } = invocation.value
  if (invocation.value.kind === 'bootstrap') {
    const made = await bootstrap(invocation.value)
    if (!made.ok) return refuse(made.error)
    return tell(made.value, json, operatorMade)
  }
  if (invocation.value.kind === 'network key') {
    const made = await issueNetworkKey(invocation.value)
    if (!made.ok) return refuse(made.error)
    return tell(made.value, json, networkKeyMade)
  }
  const access = accessOf(invocation.value)
  if (!access.ok) return refuse(access.error)
  const { command, id, given } = invocation.value
  return tell(await command.run(callerOf(access.value), id, given), json, command.show)
}

function tell(answer: Document, json: boolean, show: (answer: Document) => string): number {
  process.stdout.write((json ? JSON.stringify(answer, null, 2) : show(answer)) + '\n')
  return 0
}
