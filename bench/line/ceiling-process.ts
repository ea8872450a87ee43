// The least work of a server of ours: the same HTTP server reads the whole body of each message and
// sends the engine's answer, with the same headers, from a constant.
import * as uWS from 'uWebSockets.js'
import { onceToldToStop, signalReady } from '../../shared/parent.ts'

const ANSWER =
  '{"message_id":"msg_AAAAAAAAAAAA_100000","transaction_id":"txn_01arz3ndektsv4rrffq69g5fav",' +
  '"approved":true,"approved_amount_cents":100,"response_code":"00","authorization_code":"123456",' +
  '"decline_reason":null,"decided_by":"static_controls","stand_in":false}'

uWS
  .App({})
  .post('/v1/network/messages', (res) => {
    let bytes = 0
    res.onAborted(() => undefined)
    res.onData((chunk, isLast) => {
      bytes += chunk.byteLength
      if (!isLast || bytes === 0) return
      res.cork(() => {
        res.writeStatus('200 OK')
        res.writeHeader('Content-Type', 'application/json')
        res.writeHeader('Keep-Alive', 'timeout=8')
        res.tryEnd(ANSWER, ANSWER.length)
      })
    })
  })
  .listen('127.0.0.1', Number(process.env['CEILING_PORT']), (socket) => {
    if (socket === false) process.exit(1)
    signalReady()
    onceToldToStop(() => process.exit(0))
  })
