// Run by `npm ci`: keeps every source without its types, so that no process of the first start loads
// the compiler that strips them, some 10 MB in each. Old syntax on purpose: another Node than ours
// may run it, and then keeps nothing.
'use strict'
var version = process.versions.node.split('.').map(Number)
if (version[0] === 22 && version[1] >= 18) {
  var fs = require('node:fs')
  var path = require('node:path')
  var root = path.join(__dirname, '..')
  var untyped = require('./compiled-sources.cjs').untyped
  var folders = ['api', 'client', 'engine', 'scripts', 'shared'].filter(function (folder) {
    // An image is built from the manifests first.
    return fs.existsSync(path.join(root, folder))
  })
  folders.forEach(function (folder) {
    fs.readdirSync(path.join(root, folder), { recursive: true }).forEach(function (name) {
      if (name.endsWith('.ts')) untyped(fs.readFileSync(path.join(root, folder, name)))
    })
  })
}
