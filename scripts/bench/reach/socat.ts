import { spawn, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { stopProcess } from '../worker.ts'
import type { Certificate } from './place.ts'

export type Socat = Readonly<{
  port: number
  pid: number
  stop(): Promise<void>
}>

export function hasSocat(): boolean {
  return spawnSync('socat', ['-V']).error === undefined
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** Passes bytes on to a container, a process for each connection. @param secure TLS ends in it: its certificate, and a file for both parts */
export async function startSocat(
  containerPort: number,
  secure?: { readonly certificate: Certificate; readonly file: string },
): Promise<Socat> {
  const port = await findFreePort()
  const listening = `${port},bind=127.0.0.1,fork,reuseaddr,nodelay`
  if (secure) await writeFile(secure.file, `${secure.certificate.certificate}\n${secure.certificate.key}\n`)
  const from = secure ? `OPENSSL-LISTEN:${listening},cert=${secure.file},key=${secure.file},verify=0` : `TCP-LISTEN:${listening}`
  const child = spawn('socat', [from, `TCP:127.0.0.1:${containerPort},nodelay`], { stdio: 'ignore' })
  for (let tries = 0; tries < 200; tries += 1) {
    if (await answers(port)) return { port, pid: child.pid ?? 0, stop: () => stopProcess(child) }
    await delay(25)
  }
  await stopProcess(child)
  throw new Error('socat was not ready within 5 s')
}
