// Loaded into a process of a test before everything else: its system clock is off by as many
// milliseconds as the file in TEST_CLOCK_FILE says, which is read again at every SIGUSR2.
const { readFileSync } = require('node:fs')

const now = Date.now
let offsetMs = 0
function read() {
  offsetMs = Number(readFileSync(process.env.TEST_CLOCK_FILE, 'utf8'))
}
read()
process.on('SIGUSR2', read)
Date.now = () => now() + offsetMs
