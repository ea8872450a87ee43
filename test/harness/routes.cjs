// Loaded into a process of a test before everything else: its connections to a port of TEST_ROUTES
// go to another one, through a line that the test makes bad.
const { Socket } = require('node:net')

const routes = JSON.parse(process.env.TEST_ROUTES)
const { connect } = Socket.prototype
Socket.prototype.connect = function (...called) {
  const options = Array.isArray(called[0]) ? called[0][0] : called[0]
  const port = routes[options?.port]
  if (port !== undefined) options.port = port
  return connect.apply(this, called)
}
