// Preloaded by `node -r`: writes the address of every module that the process loaded into the file
// that LOADED_MODULES names, one per line.
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
process.on('exit', () => writeFileSync(process.env.LOADED_MODULES, loaded.join('\n')))
