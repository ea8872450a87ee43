// The receiver while the sender is measured: a process of its own that reads whole bodies and
// answers 200.
import { App, us_socket_local_port } from 'uWebSockets.js'

App({})
  .post('/*', (res) => {
    let gone = false
    res.onAborted(() => {
      gone = true
    })
    res.onData((_chunk, last) => {
      if (last && !gone) res.cork(() => res.end('ok'))
    })
  })
  .listen('127.0.0.1', 0, (socket) => {
    process.send?.(socket === false ? 0 : us_socket_local_port(socket))
  })

process.on('disconnect', () => process.exit(0))
