import { linedStack, notifyLost } from '../faults/bad-lines.ts'
import { APPROVES_EVEN, lastOfTheLimit, sameMessage } from '../faults/races.ts'
import { shortForm } from '../faults/short.ts'
import type { Stack } from '../faults/stack.ts'
import { file, perFile } from '../harness/per-file.ts'

/** One stack for the file: the first test finds it empty, and each leaves it drained. */
const lined = perFile(() => linedStack(file, APPROVES_EVEN))
const shared = (): Promise<Stack> => lined().then(({ stack }) => stack)

shortForm('one message a thousand times at once has one answer and one question', (t) =>
  sameMessage(t, shared()),
)
shortForm('a crowd for the last of a limit gets exactly what fits', (t) =>
  lastOfTheLimit(t, shared()),
)
shortForm('configuration arrives without a listener and without notifications', (t) =>
  notifyLost(t, lined()),
)
