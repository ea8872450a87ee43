// Health check of a container: exit code 0 when the URL given answers 200 within two seconds.
'use strict'
const [url] = process.argv.slice(2)
fetch(url, { signal: AbortSignal.timeout(2000) }).then(
  ({ status }) => process.exit(status === 200 ? 0 : 1),
  () => process.exit(1),
)
