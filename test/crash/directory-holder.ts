// Child process of directory-lock.test.ts: it takes a directory, reports how that went, and keeps
// it until its input ends or it is killed.
import { lockDirectory } from '../../engine/journal/lock.ts'

const lock = await lockDirectory(process.argv[2] ?? '')
process.stdout.write(lock === null ? 'refused\n' : 'holds\n')
if (lock !== null) process.stdin.resume().on('end', () => process.exit(0))
