import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export interface OperatorProcess {
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>
}

/** Starts the operator in a separate process. It uses the API server at `server` and sends no credentials. */
export async function startOperatorProcess(server: URL, environment: NodeJS.ProcessEnv): Promise<OperatorProcess> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-operator-'))
  const kubeconfig = path.join(folder, 'kubeconfig')
  const named = { name: 'test' }
  await writeFile(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ ...named, cluster: { server: server.href, 'insecure-skip-tls-verify': true } }],
      users: [{ ...named, user: {} }],
      contexts: [{ ...named, context: { cluster: 'test', user: 'test' } }],
      'current-context': 'test',
    }),
  )
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  const child: ChildProcess = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...environment,
      KUBECONFIG: kubeconfig,
      CAPSTAN_LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(child, 'exit')
  return {
    async kill() {
      child.kill('SIGKILL')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}
