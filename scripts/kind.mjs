#!/usr/bin/env node
// Usage: npm run kind -- [--name NAME] [--port PORT]
//
// Creates a kind cluster (or uses the running one), builds and loads the images, and installs the chart and the demo game. Needs
// docker, kind, kubectl and helm. Run it again after a change: it updates what has changed.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { PlainError, prepareNodeProgram, root, runCommand, runMain, runStep } from './bootstrap.mjs'
import { buildImages, listImages } from './images.mjs'

const tools = {
  docker: 'https://docs.docker.com/engine/install/',
  kind: 'https://kind.sigs.k8s.io/docs/user/quick-start/',
  kubectl: 'https://kubernetes.io/docs/tasks/tools/',
  helm: 'https://helm.sh/docs/intro/install/',
}

async function requireTools() {
  const probes = { docker: ['info'], kind: ['version'], kubectl: ['version', '--client'], helm: ['version'] }
  const missing = []
  for (const [tool, args] of Object.entries(probes)) {
    const result = await runCommand(tool, args).catch(() => ({ code: 1 }))
    if (result.code !== 0) missing.push(`  ${tool}: ${tools[tool]}`)
  }
  if (missing.length > 0) throw new PlainError(`npm run kind needs these tools installed and running:\n${missing.join('\n')}`)
}

async function must(command, args) {
  const { code, output } = await runCommand(command, args)
  if (code !== 0) throw new PlainError(`${command} ${args.slice(0, 2).join(' ')} failed:\n${output.trim()}`)
  return output.trim()
}

/**
 * Repository name that exists in no registry. If an image is missing, it can therefore never be pulled from a foreign repository.
 */
const repository = 'localhost/capstan'

/** Returns the configuration of a cluster with one node. The node port of the platform is reachable on localhost. */
const clusterConfig = (port) => `kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes:
  - role: control-plane
    extraPortMappings:
      - { containerPort: 30080, hostPort: ${port}, listenAddress: 127.0.0.1 }
`

await runMain(async () => {
  const { values } = parseArgs({
    options: { name: { type: 'string', default: 'capstan' }, port: { type: 'string', default: '8080' } },
  })
  await requireTools()
  const node = await prepareNodeProgram()
  const context = `kind-${values.name}`
  const clusters = await must('kind', ['get', 'clusters'])
  if (!clusters.split('\n').includes(values.name)) {
    await runStep('Creating the cluster', async () => {
      const file = path.join(mkdtempSync(path.join(tmpdir(), 'capstan-kind-')), 'cluster.yaml')
      writeFileSync(file, clusterConfig(values.port))
      await must('kind', ['create', 'cluster', '--name', values.name, '--config', file])
    })
  }
  const images = listImages('dev', repository)
  await buildImages(images, ['docker', 'build', '--tag'])
  const names = images.map(({ name }) => name)
  await runStep('Loading the images', () => must('kind', ['load', 'docker-image', '--name', values.name, ...names]))
  const { code } = await runCommand('helm', ['status', 'capstan', '--kube-context', context, '--namespace', 'capstan'])
  const existed = code === 0
  await runStep('Installing the chart', () =>
    must('helm', [
      ...['upgrade', '--install', 'capstan', path.join(root, 'charts', 'capstan'), '--kube-context', context],
      ...['--namespace', 'capstan', '--create-namespace', '--wait', '--timeout', '5m'],
      ...['--set', `image.repository=${repository}`, '--set', 'image.tag=dev'],
      ...['--set', 'web.service.type=NodePort', '--set', 'web.service.nodePort=30080'],
    ]),
  )
  // Restart the pods. The new images have the same names as the old images, so running pods do not use the new images.
  if (existed)
    await runStep('Restarting the processes', async () => {
      const ours = ['--selector', 'app.kubernetes.io/instance=capstan']
      const within = ['--context', context, '--namespace', 'capstan', 'rollout']
      await must('kubectl', [...within, 'restart', 'deployment', ...ours])
      await must('kubectl', [...within, 'status', 'deployment', ...ours, '--timeout=5m'])
    })
  const encoded = await must('kubectl', [
    ...['--context', context, '--namespace', 'capstan', 'get', 'secret', 'capstan-admin'],
    ...['--output', 'jsonpath={.data.password}'],
  ])
  const password = Buffer.from(encoded, 'base64').toString()
  const url = `http://127.0.0.1:${values.port}`
  await runStep('Seeding the demo game', async () => {
    const passwordFile = path.join(mkdtempSync(path.join(tmpdir(), 'capstan-seed-')), 'password')
    writeFileSync(passwordFile, password, { mode: 0o600 })
    await must(node, [
      path.join(root, 'e2e', 'challenges', 'seed.ts'),
      '--url',
      url,
      '--user',
      'Admin',
      '--password-file',
      passwordFile,
      '--image-prefix',
      `${repository}/demo-`,
    ])
  })
  console.log(`\n  Open ${url}\n  Log in as Admin with the password ${password}\n`)
})
