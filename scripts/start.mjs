#!/usr/bin/env node
// Usage: npm start -- [--port N] [--host ADDR] [--data DIR] [--empty] [--cluster] [--help]
//
// Starts the whole product on this machine: installs and builds it, and then runs scripts/standalone.ts on the pinned Node.
import { spawn } from 'node:child_process'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import {
  buildPlatform,
  buildWeb,
  environmentWithPinnedNode,
  PlainError,
  prepareNodeProgram,
  runMain,
  runStep,
} from './bootstrap.mjs'

const help = `npm start -- [options]

  --port N      listen on this port (default 8080)
  --host ADDR   listen on this address instead of 127.0.0.1, for example on 0.0.0.0 for all addresses;
                anyone who can reach it can register and start challenges on this machine
  --data DIR    store database, files and secrets in this folder (default .capstan)
  --empty       do not create the demo games
  --cluster     run instances in the cluster of the current kubeconfig instead of on this machine;
                its nodes must be reachable from here and be able to pull the challenges' images
  --help        show this text

  CAPSTAN_ADMIN_PASSWORD   password of the first admin (default: random, stored in the data folder)
  CAPSTAN_RATE_LIMITS=off  no rate limits, for load tests
  DATABASE_URL             use this PostgreSQL instead of the embedded one
  REDIS_URL                use this Redis instead of the in-process adapter`

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: '8080' },
        host: { type: 'string' },
        data: { type: 'string', default: '.capstan' },
        empty: { type: 'boolean', default: false },
        cluster: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    const port = Number(values.port)
    if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new PlainError('--port takes a number from 0 to 65535')
    return { ...values, port }
  } catch (error) {
    if (error instanceof PlainError) throw error
    throw new PlainError(`${error.message}\n\n${help}`)
  }
}

/**
 * Runs the platform until it ends. With a small young generation, V8 collects garbage early, as in the image of the api. The
 * platform receives Ctrl-C directly from the terminal, and other signals from this process.
 */
function runPlatform(node, program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, ['--max-semi-space-size=8', program, ...args], {
      env: environmentWithPinnedNode(node),
      stdio: 'inherit',
    })
    process.on('SIGINT', () => {})
    process.on('SIGTERM', () => child.kill('SIGTERM'))
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(signal ? 1 : (code ?? 1)))
  })
}

await runMain(async () => {
  const options = readOptions()
  if (options.help) {
    console.log(help)
    return 0
  }
  console.log('\n  Capstan\n')
  const node = await prepareNodeProgram()
  await runStep('Building the web client', () => buildWeb(node))
  const program = await runStep('Building the platform', () => buildPlatform(node))
  const host = options.host === undefined ? [] : ['--host', options.host]
  const switches = ['--past-game', ...host, ...['empty', 'cluster'].filter((name) => options[name]).map((name) => `--${name}`)]
  return runPlatform(node, program, ['--port', String(options.port), '--data', path.resolve(options.data), ...switches])
})
