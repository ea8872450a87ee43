// Loaded before every script (`node -r`), so that a Node which cannot even read our sources says so in one sentence.
// Old syntax on purpose: it must run on whatever Node there is.
'use strict'
var version = process.versions.node.split('.').map(Number)
if (version[0] !== 22 || version[1] < 18) {
  process.stderr.write(
    'Node ' + process.versions.node + ' cannot run svc: it needs Node 22 from 22.18 on. On Linux x64 `npm ci` brings it ' +
      'along (without --omit=optional) and `npm start` uses it; elsewhere install Node 22.\n'
  )
  process.exit(1)
}
require('./compiled-sources.cjs')
