import { notifyLost } from '../faults/bad-lines.ts'
import { lastOfTheLimit, sameMessage } from '../faults/races.ts'
import { shortForm } from '../faults/short.ts'

shortForm('one message a thousand times at once has one answer and one question', sameMessage)
shortForm('a crowd for the last of a limit gets exactly what fits', lastOfTheLimit)
shortForm('configuration arrives without a listener and without notifications', notifyLost)
