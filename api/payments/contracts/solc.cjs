#!/usr/bin/env node
// The compiler as forge calls it: `--version`, or standard JSON from stdin to stdout. The compiler
// itself is solc-js, a development dependency.
'use strict'
const { readFileSync } = require('node:fs')
const { resolve } = require('node:path')
const solc = require('solc')

function read(path) {
  try {
    return { contents: readFileSync(resolve(__dirname, path), 'utf8') }
  } catch (error) {
    return { error: error.message }
  }
}

if (process.argv.includes('--version')) {
  process.stdout.write('solc, the solidity compiler commandline interface\nVersion: ' + solc.version() + '\n')
} else {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8'), { import: read }))
}
