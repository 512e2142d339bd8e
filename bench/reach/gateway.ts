import { labelLength } from '@capstan/contract/reach'
import { generate } from 'selfsigned'
import { readImageDockerfile } from '../image.ts'
import { startWorker } from '../process.ts'

export type Certificate = Readonly<{
  certificate: string
  key: string
}>

export type GatewayOrder = Readonly<{
  tls: Certificate
  /** Port of the container of the only instance behind the gateway. */
  containerPort: number
  speaks: 'http' | 'tcp'
}>

export type GatewayPorts = Readonly<{
  port: number
  tlsPort: number
  plainPort: number
}>

export const domain = 'play.test'
export const label: string = 'a'.repeat(labelLength)
export const host: string = `${label}.${domain}`
export const instanceId = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'

async function makeCertificate(): Promise<Certificate> {
  const extensions = [{ name: 'subjectAltName' as const, altNames: [{ type: 2 as const, value: host }] }]
  const { cert, private: key } = await generate([{ name: 'commonName', value: host }], { keyType: 'ec', extensions })
  return { certificate: cert, key }
}

/** Starts a gateway as a process, with the Node options and environment variables of its image. */
export async function startGateway(speaks: GatewayOrder['speaks'], containerPort: number) {
  const order: GatewayOrder = { speaks, containerPort, tls: await makeCertificate() }
  const file = new URL('gateway-process.ts', import.meta.url)
  const { result, pid, stop } = await startWorker<GatewayPorts>(file, order, await readImageDockerfile('services/gateway'))
  return { ...result, tls: order.tls, pid, stop }
}
