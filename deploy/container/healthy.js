// Health check of a container: exit code 0 when the URL given answers 200 within two seconds. A
// process with a certificate answers by TLS only; its name is another than the loopback's.
import http from 'node:http'
import https from 'node:https'

const [url = ''] = process.argv.slice(2)

function look({ get }, protocol, failed) {
  const options = { rejectUnauthorized: false, signal: AbortSignal.timeout(2000) }
  get(url.replace(/^https?:/, protocol), options, ({ statusCode }) =>
    process.exit(statusCode === 200 ? 0 : 1),
  ).on('error', failed)
}

look(http, 'http:', () => look(https, 'https:', () => process.exit(1)))
