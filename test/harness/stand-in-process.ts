// A small process that behaves like ours: it says {ready: true} over IPC, and ends on SIGTERM and
// when the channel breaks. Its first argument selects its behaviour; its second, where it matters,
// is a file that changes it.
import { existsSync } from 'node:fs'

const [behaviour, file] = process.argv.slice(2)

process.once('disconnect', () => process.exit(0))
if (behaviour !== 'stubborn') process.once('SIGTERM', () => process.exit(0))
else process.on('SIGTERM', () => undefined)

if (behaviour === 'broken' || (file !== undefined && existsSync(file))) {
  process.stderr.write('{"level":60,"msg":"the disk is full"}\n')
  process.exit(70)
}
if (behaviour === 'aborting') process.abort()
process.send?.({ ready: true })
