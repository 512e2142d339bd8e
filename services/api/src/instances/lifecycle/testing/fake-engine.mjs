// Replaces docker and podman: accepts the arguments that the container runtime uses, stores its containers as files in the folder
// of FAKE_ENGINE_STATE and runs them as processes. FAKE_ENGINE_RM_MS delays the answer of `rm`.
// `stats` reports for every running container a quarter of a core and 12.5 MiB.
// The output of a container is stored beside its file; `logs` shows the standard output, the last `--tail` lines.
// Networks are files too, but all containers share the addresses of this machine. `exec` runs only the programs `true` and `false`.
// Usage: node fake-engine.mjs <create|start|exec|rm|ps|inspect|stats|logs|events|--version> ... or network <create|connect|ls|inspect|rm> ...
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, openSync, readdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'

const folder = process.env.FAKE_ENGINE_STATE
const isNetwork = process.argv[2] === 'network'
const [command, ...args] = isNetwork ? [process.argv.slice(2, 4).join(' '), ...process.argv.slice(4)] : process.argv.slice(2)
const fileOf = (name) => path.join(folder, `${name}.json`)
const outputOf = (name) => path.join(folder, `${name}.output`)
const read = (name) => JSON.parse(readFileSync(fileOf(name), 'utf8'))
/** Returns undefined if a concurrent `rm` removed the file. */
const readIfThere = (name) => {
  try {
    return read(name)
  } catch {
    return undefined
  }
}
const names = () => readdirSync(folder).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : []))
const fail = (message, code = 125) => {
  process.stderr.write(`${message}\n`)
  process.exit(code)
}
const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
const isFree = (port) =>
  new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
/**
 * Returns a port outside the ephemeral range. Only one container uses it, even though the container may not listen for a while.
 */
const freePort = async () => {
  for (;;) {
    const port = randomInt(15_000, 20_000)
    try {
      writeFileSync(path.join(folder, `port-${port}`), '', { flag: 'wx' })
    } catch (error) {
      if (error.code === 'EEXIST') continue
      throw error
    }
    if (await isFree(port)) return port
  }
}

const valued = new Set([
  '--name',
  '--label',
  '--env',
  '--memory',
  '--memory-swap',
  '--cpus',
  '--pids-limit',
  '--cap-drop',
  '--security-opt',
  '--publish',
  '--filter',
  '--format',
  '--type',
  '--tail',
  '--hostname',
  '--network',
  '--network-alias',
  '--alias',
  '--opt',
  '--stop-timeout',
])
const switches = new Set([
  '--detach',
  '--force',
  '--volumes',
  '--all',
  '--quiet',
  '--no-trunc',
  '--no-stream',
  '--follow',
  '--internal',
])
const options = { '--label': [], '--env': [], '--publish': [] }
const rest = []
for (let index = 0; index < args.length; index += 1) {
  const arg = args[index]
  if (rest.length > 0 && command !== 'rm') rest.push(arg)
  else if (switches.has(arg)) options[arg] = true
  else if (valued.has(arg)) {
    index += 1
    if (Array.isArray(options[arg])) options[arg].push(args[index])
    else options[arg] = args[index]
  } else if (arg.startsWith('--')) fail(`unknown flag: ${arg}`)
  else rest.push(arg)
}
const hasLabel = ({ labels }) => {
  const [, key, value] = /^label=([^=]+)=(.*)$/.exec(options['--filter'])
  return labels[key] === value
}
const labelsOf = () =>
  Object.fromEntries(options['--label'].map((label) => [label.slice(0, label.indexOf('=')), label.slice(label.indexOf('=') + 1)]))
const networkFile = (name) => path.join(folder, `${name}.network`)
const networks = () =>
  readdirSync(folder).flatMap((file) =>
    file.endsWith('.network') ? [JSON.parse(readFileSync(path.join(folder, file), 'utf8'))] : [],
  )
/** Replaces the file in one step, so that readers never see a partial file. */
const store = (container) => {
  const part = path.join(folder, `${container.name}.${process.pid}.part`)
  writeFileSync(part, JSON.stringify(container))
  renameSync(part, fileOf(container.name))
}
const statusOf = ({ pid }) => (pid === undefined ? 'created' : isAlive(pid) ? 'running' : 'exited')

switch (command) {
  case '--version':
    process.stdout.write('Docker version 28.0.0, build fake\n')
    break
  case 'network create':
    if (existsSync(networkFile(rest[0]))) fail(`Error response from daemon: network with name ${rest[0]} already exists`, 1)
    writeFileSync(networkFile(rest[0]), JSON.stringify({ Name: rest[0], Labels: labelsOf() }))
    break
  case 'network connect':
    if (!existsSync(networkFile(rest[0]))) fail(`Error response from daemon: network ${rest[0]} not found`, 1)
    break
  case 'network ls':
    for (const { Name, Labels } of networks()) if (hasLabel({ labels: Labels })) process.stdout.write(`${Name}\n`)
    break
  case 'network inspect':
    process.stdout.write(JSON.stringify(networks().filter(({ Name }) => rest.includes(Name))))
    break
  case 'network rm':
    if (!existsSync(networkFile(rest[0]))) fail(`Error response from daemon: network ${rest[0]} not found`, 1)
    rmSync(networkFile(rest[0]))
    break
  case 'exec':
    process.exit(rest[1] === 'true' ? 0 : 1)
    break
  case 'create': {
    const name = options['--name']
    if (names().includes(name)) fail(`Error: Conflict. The container name "/${name}" is already in use`)
    if (!['echo:1', 'crash:1'].includes(rest[0]))
      fail(`Unable to find image '${rest[0]}' locally\ndocker: Error: pull access denied`)
    const env = Object.fromEntries(
      options['--env'].map((entry) => (entry.includes('=') ? entry.split('=') : [entry, process.env[entry]])),
    )
    const ports = {}
    for (const published of options['--publish']) ports[published.split(':')[2]] = await freePort()
    const [host, , entry] = options['--publish'][0]?.split(':') ?? []
    const places = Object.entries(ports).map(([inner, port]) => [inner === entry ? 'PORT' : `PORT_${inner}`, String(port)])
    // A container that publishes nothing must not take a port of this machine.
    if (entry === undefined) places.push(['PORT', '0'])
    const script = rest[0] === 'echo:1' ? [path.join(import.meta.dirname, 'echo.mjs')] : ['-e', 'process.exit(1)']
    const run = { script, env: { ...env, ...Object.fromEntries(places), HOST: host ?? '127.0.0.1' } }
    writeFileSync(outputOf(name), '')
    store({ name, labels: labelsOf(), ports, run })
    process.stdout.write(`${name}\n`)
    break
  }
  case 'start': {
    const [name] = rest
    const container = readIfThere(name) ?? fail(`Error response from daemon: No such container: ${name}`, 1)
    const child = spawn(process.execPath, container.run.script, {
      env: container.run.env,
      detached: true,
      stdio: ['ignore', openSync(outputOf(name), 'w'), 'ignore'],
    })
    child.unref()
    if (readIfThere(name)) store({ ...container, pid: child.pid, startedAt: Date.now() })
    else process.kill(child.pid, 'SIGKILL')
    break
  }
  case 'rm': {
    const there = rest.filter((name) => names().includes(name))
    await new Promise((resolve) => setTimeout(resolve, Number(process.env.FAKE_ENGINE_RM_MS ?? 0)))
    for (const name of there) {
      const container = readIfThere(name)
      rmSync(fileOf(name), { force: true })
      rmSync(outputOf(name), { force: true })
      if (container?.pid !== undefined && isAlive(container.pid)) process.kill(container.pid, 'SIGKILL')
    }
    if (there.length < rest.length) fail(`Error response from daemon: No such container: ${rest[0]}`, 1)
    break
  }
  case 'ps':
    for (const name of names()) if (hasLabel(readIfThere(name) ?? { labels: {} })) process.stdout.write(`${name}\n`)
    break
  case 'inspect':
    process.stdout.write(
      JSON.stringify(
        rest.map((name) => {
          const container = readIfThere(name) ?? fail(`Error: No such container: ${name}`, 1)
          const status = statusOf(container)
          return {
            Name: `/${name}`,
            State: { Status: status, ExitCode: status === 'exited' ? 1 : 0 },
            Config: { Labels: container.labels },
            NetworkSettings: {
              Ports: Object.fromEntries(
                Object.entries(status === 'running' ? container.ports : {}).map(([inner, port]) => [
                  `${inner}/tcp`,
                  [{ HostIp: '127.0.0.1', HostPort: String(port) }],
                ]),
              ),
            },
          }
        }),
      ),
    )
    break
  case 'stats':
    if (options['--format'] !== '{{.Name}} {{.CPUPerc}} {{.MemUsage}}') fail(`unknown template: ${options['--format']}`)
    process.stdout.write('somebody-elses 99.00% 1GiB / 2GiB\n')
    for (const name of names())
      process.stdout.write(statusOf(read(name)) === 'running' ? `${name} 25.00% 12.5MiB / 64MiB\n` : `${name} -- -- / --\n`)
    break
  case 'logs': {
    const lines = Number(options['--tail'] ?? Number.MAX_SAFE_INTEGER)
    const all = names().includes(rest[0]) ? readFileSync(outputOf(rest[0])).toString() : fail('Error: No such container')
    let shown = Buffer.byteLength(
      all
        .split('\n')
        .slice(0, -1 - lines)
        .join('\n'),
    )
    if (shown > 0) shown += 1
    if (!options['--follow']) {
      process.stdout.write(readFileSync(outputOf(rest[0])).subarray(shown))
      break
    }
    const show = () => {
      const output = names().includes(rest[0]) ? readFileSync(outputOf(rest[0])) : process.exit()
      process.stdout.write(output.subarray(shown))
      shown = output.length
    }
    show()
    setInterval(show, 20)
    break
  }
  case 'events':
    watch(folder, (_, file) => {
      if (!file?.endsWith('.json')) return
      const container = readIfThere(file.slice(0, -5))
      // The labels of a removed container are unknown.
      if (!container || hasLabel(container)) process.stdout.write('{"Type":"container"}\n')
    })
    break
  default:
    fail(`unknown command: ${command}`)
}
