// Preloaded by `node -r`: writes the address of every module that the process loaded into the file
// that LOADED_MODULES names, one per line; %p in that name is the process id.
'use strict'
const { writeFileSync } = require('node:fs')
const { registerHooks } = require('node:module')

const loaded = []
registerHooks({
  load(url, context, nextLoad) {
    loaded.push(url)
    return nextLoad(url, context)
  },
})
process.on('exit', () => {
  const path = process.env.LOADED_MODULES.replace('%p', String(process.pid))
  writeFileSync(path, loaded.join('\n'))
})
