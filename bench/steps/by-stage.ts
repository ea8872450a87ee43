// The stage in which the authorization line spends its time: each sample of its stacks counts for
// the innermost step.
import { type Profiler, Session } from 'node:inspector'

/** Files whose functions identify a stage; the innermost file on the stack counts. */
const STAGES: readonly (readonly [stage: string, files: readonly string[]])[] = [
  ['door', ['engine/listeners/']],
  ['receive', ['engine/line/receive.ts']],
  ['decode', ['engine/line/decode.ts']],
  ['recall', ['engine/line/recall.ts']],
  ['gather', ['engine/line/gather.ts']],
  ['judge', ['engine/line/judge.ts', 'engine/line/project-approval.ts', 'engine/line/shadow.ts']],
  ['reserve', ['engine/line/reserve.ts']],
  ['conclude', ['engine/line/conclude.ts', 'engine/line/append-entry.ts']],
  ['encode', ['shared/wire/journal-entry', 'shared/wire/decision-writer', 'shared/wire/msgpack']],
  ['apply', ['engine/state/decision-state.ts']],
  [
    'journal',
    ['engine/journal/', 'bench/steps/held-line.ts#append', 'bench/steps/held-line.ts#sync'],
  ],
  ['answer', ['engine/line/answer.ts', 'engine/line/answer-text.ts']],
]
/** The garbage collector belongs to no step. */
const COLLECTOR = 'collector'
const BETWEEN = 'between the steps'
const SAMPLE_US = 100

/** Share of each stage while `work` ran, in the order of the steps; the shares add up to 1. */
export async function partsByStage(work: () => void): Promise<{ [stage: string]: number }> {
  const session = new Session()
  session.connect()
  await post(session, 'Profiler.enable')
  await post(session, 'Profiler.setSamplingInterval', { interval: SAMPLE_US })
  await post(session, 'Profiler.start')
  work()
  const profile = await stopped(session)
  session.disconnect()
  return parts(profile)
}

function post(session: Session, method: string, params?: object): Promise<void> {
  return new Promise((resolve, reject) => {
    session.post(method, params, (error) => (error === null ? resolve() : reject(error)))
  })
}

function stopped(session: Session): Promise<Profiler.Profile> {
  return new Promise((resolve, reject) => {
    session.post('Profiler.stop', (error, { profile }) =>
      error === null ? resolve(profile) : reject(error),
    )
  })
}

function parts(profile: Profiler.Profile): { [stage: string]: number } {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]))
  const time = new Map<string, number>()
  const visit = (node: Profiler.ProfileNode, around: string | null): void => {
    const stage = stageOf(node.callFrame) ?? around
    if (stage !== null && stage !== IDLE)
      time.set(stage, (time.get(stage) ?? 0) + (node.hitCount ?? 0))
    for (const id of node.children ?? []) {
      const child = byId.get(id)
      if (child !== undefined) visit(child, stage)
    }
  }
  const [root] = profile.nodes
  if (root !== undefined) visit(root, null)
  const all = [...time.values()].reduce((sum, hits) => sum + hits, 0)
  return Object.fromEntries(
    [...STAGES.map(([stage]) => stage), BETWEEN, COLLECTOR].map((stage) => [
      stage,
      (time.get(stage) ?? 0) / all,
    ]),
  )
}

const IDLE = '(idle)'

function stageOf({ functionName, url }: Profiler.ProfileNode['callFrame']): string | null {
  if (functionName === '(garbage collector)') return COLLECTOR
  if (functionName === '(idle)' || functionName === '(program)') return IDLE
  for (const [stage, files] of STAGES) {
    for (const file of files) {
      const [path = '', name] = file.split('#')
      if (url.includes('/' + path) && (name === undefined || name === functionName)) return stage
    }
  }
  return url.includes('/engine/authorize.ts') ? BETWEEN : null
}
