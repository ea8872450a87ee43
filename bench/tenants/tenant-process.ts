// A tenant that answers at once, in a process of its own: the engine's share shows most where the
// tenant takes no time. `/ask` approves. `/hang` approves too, until `/behave/hang` makes it read
// without answering; `/behave/answer` ends that. `/latest` shows the latest request for a caller
// that sends the same.
import * as uWS from 'uWebSockets.js'
import { onceToldToStop, signalReady } from '../../shared/parent.ts'

const APPROVED = '{"approve":true}'

let hangs = false
let latest = { headers: [] as (readonly [string, string])[], body: '' }

function approve(res: uWS.HttpResponse): void {
  res.cork(() => {
    res.writeHeader('Content-Type', 'application/json')
    res.end(APPROVED)
  })
}

function ask(res: uWS.HttpResponse, req: uWS.HttpRequest, answers: () => boolean): void {
  const headers: (readonly [string, string])[] = []
  req.forEach((name, value) => void headers.push([name, value]))
  let body = ''
  res.onAborted(() => undefined)
  res.onData((chunk, isLast) => {
    body += Buffer.from(chunk).toString('latin1')
    if (!isLast) return
    latest = { headers, body }
    if (answers()) approve(res)
  })
}

uWS
  .App({})
  .post('/ask', (res, req) => ask(res, req, () => true))
  .post('/hang', (res, req) => ask(res, req, () => !hangs))
  .post('/behave/:how', (res, req) => {
    hangs = req.getParameter(0) === 'hang'
    res.end()
  })
  .get('/latest', (res) => void res.end(JSON.stringify(latest)))
  .listen('127.0.0.1', Number(process.env['TENANT_PORT']), (socket) => {
    if (socket === false) process.exit(1)
    signalReady()
    onceToldToStop(() => process.exit(0))
  })
