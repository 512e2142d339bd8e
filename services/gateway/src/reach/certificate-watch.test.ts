import { X509Certificate } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connect } from 'node:tls'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readCertificate } from '../config.ts'
import type { GatewayLogger } from '../log.ts'
import {
  aCertificate,
  createReadyRouteTarget,
  generateCertificate,
  hostOf,
  label,
  provideReachGateway,
  waiting,
} from '../testing/reach-world.ts'
import { quietLog } from '../testing/test-gateway.ts'
import { watchCertificate } from './certificate-watch.ts'
import type { Certificate } from './tls-endpoint.ts'

const { start, startInstance } = provideReachGateway()

/**
 * Creates a folder like the kubelet's volume for a Secret. Each file is a link to a file in `..data`, which is a link to a
 * folder. A change of the Secret replaces only the link `..data`.
 */
function aSecretVolume(first: Certificate) {
  const folder = mkdtempSync(path.join(tmpdir(), 'capstan-secret-'))
  let version = 0
  const put = ({ certificate, key }: Certificate): void => {
    version += 1
    const name = `..version-${version}`
    mkdirSync(path.join(folder, name))
    writeFileSync(path.join(folder, name, 'tls.crt'), certificate)
    writeFileSync(path.join(folder, name, 'tls.key'), key)
    symlinkSync(name, path.join(folder, '..data_tmp'))
    renameSync(path.join(folder, '..data_tmp'), path.join(folder, '..data'))
  }
  put(first)
  for (const file of ['tls.crt', 'tls.key']) symlinkSync(path.join('..data', file), path.join(folder, file))
  const environment = {
    CAPSTAN_INSTANCES_CERTIFICATE_FILE: path.join(folder, 'tls.crt'),
    CAPSTAN_INSTANCES_KEY_FILE: path.join(folder, 'tls.key'),
  }
  return { put, read: () => readCertificate(environment) }
}

function fingerprint({ certificate }: Certificate): string {
  return new X509Certificate(certificate).fingerprint256
}

/** Opens a TLS connection that remains open. @returns the connection and the certificate of the server */
function shakeHands(port: number) {
  return new Promise<{ shown: string; socket: ReturnType<typeof connect> }>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername: hostOf(label), rejectUnauthorized: false }, () =>
      resolve({ shown: socket.getPeerX509Certificate()?.fingerprint256 ?? '', socket }),
    )
    socket.on('error', reject)
    onTestFinished(() => void socket.destroy())
  })
}

describe('a renewed certificate', () => {
  it.each([
    ['bytes', 'tcp' as const],
    ['HTTP', 'http' as const],
  ])('a renewed certificate is used for the next handshake of %s, while open connections remain', async (_what, speaks) => {
    const [first, second] = [await aCertificate(), await generateCertificate()]
    const instance = await startInstance((socket) => socket.pipe(socket))
    const { backend, gateway, tlsPort } = await start()
    backend.routes.set(label, createReadyRouteTarget(instance.port, { speaks }))
    const volume = aSecretVolume(first)
    const onRenewed = (certificate: Certificate) => gateway.gateway.renewCertificate(certificate)
    onTestFinished(watchCertificate({ current: volume.read(), read: volume.read, everyMs: 5, onRenewed, log: quietLog }))
    const before = await shakeHands(tlsPort)
    expect(before.shown).toBe(fingerprint(first))

    volume.put(second)
    await vi.waitFor(async () => expect((await shakeHands(tlsPort)).shown).toBe(fingerprint(second)), waiting)
    expect(before.socket.closed).toBe(false)
    if (speaks === 'tcp') {
      before.socket.write('still here')
      expect(String(await new Promise((resolve) => before.socket.once('data', resolve)))).toBe('still here')
    }
    const expires = new X509Certificate(second.certificate).validToDate.getTime() / 1000
    expect(await gateway.gateway.registry.metrics()).toContain(`capstan_gateway_certificate_expires_timestamp_seconds ${expires}`)
  })

  it('a renewed certificate is also sent to a client that has an older session ticket', async () => {
    const [first, second] = [await aCertificate(), await generateCertificate()]
    const instance = await startInstance((socket) => void socket.write('hello'))
    const { backend, gateway, tlsPort } = await start()
    backend.routes.set(label, createReadyRouteTarget(instance.port, { speaks: 'tcp' }))
    const { socket, shown } = await shakeHands(tlsPort)
    expect(shown).toBe(fingerprint(first))
    const session = await new Promise<Buffer>((resolve) => socket.once('session', resolve))
    gateway.gateway.renewCertificate(second)
    const again = connect({ port: tlsPort, host: '127.0.0.1', servername: hostOf(label), rejectUnauthorized: false, session })
    onTestFinished(() => void again.destroy())
    await new Promise((resolve) => again.once('secureConnect', resolve))
    expect([again.isSessionReused(), again.getPeerX509Certificate()?.fingerprint256]).toEqual([false, fingerprint(second)])
  })

  it('a renewed certificate is ignored with one warning if the certificate does not match its private key', async () => {
    const [first, second] = [await aCertificate(), await generateCertificate()]
    const volume = aSecretVolume(first)
    const taken: string[] = []
    const warned: string[] = []
    const log: GatewayLogger = { ...quietLog, warn: (_fields: object, text: string) => void warned.push(text) }
    let looks = 0
    const read = () => {
      looks += 1
      return volume.read()
    }
    const onRenewed = (certificate: Certificate) => void taken.push(fingerprint(certificate))
    onTestFinished(watchCertificate({ current: volume.read(), read, everyMs: 5, onRenewed, log }))
    volume.put({ certificate: second.certificate, key: first.key })
    await vi.waitFor(() => expect(warned).toHaveLength(1), waiting)
    const seen = looks
    await vi.waitFor(() => expect(looks).toBeGreaterThan(seen + 2), waiting)
    expect([taken, warned.length]).toEqual([[], 1])
    volume.put(second)
    await vi.waitFor(() => expect(taken).toEqual([fingerprint(second)]), waiting)
  })
})

it.each([
  ['no certificate', {}],
  ['an empty one', { CAPSTAN_INSTANCES_CERTIFICATE: '', CAPSTAN_INSTANCES_KEY: '' }],
])('refuses %s as the certificate of instances', (_what, given) => {
  const environment = { CAPSTAN_INSTANCES_DOMAIN: 'play.test', CAPSTAN_INSTANCES_TLS_PORT: '1337', ...given }
  expect(() => readCertificate(environment)).toThrow('must be a certificate and its key, both in PEM')
})
