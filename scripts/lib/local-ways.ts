import type { AddressInfo, Server } from 'node:net'
import type { Gateway, WaysConfig } from '@capstan/gateway/gateway'
import { closePorts, openPorts } from '@capstan/gateway/reach/ports'
import type { Environment } from '@capstan/settings/read'
import { generate } from 'selfsigned'

/**
 * Domain of the host names of instances. Browsers resolve every name below this domain to this machine, and no page can set a
 * cookie for the whole domain.
 */
const domain = 'localhost'

const firstPorts = [31_000, 31_100, 31_200, 31_300, 32_000, 33_000]
const portCount = 64
const certificateDays = 30

export type LocalWays = Readonly<{
  environment: Environment
  config: WaysConfig
  tlsPort: number
  /** Range of TCP ports for instances. Undefined if no range of free ports was found. */
  ports: Readonly<{ first: number; last: number }> | undefined
  attach(gateway: Gateway): void
  close(): Promise<void>
}>

async function openRow(host: string): Promise<ReadonlyMap<number, Server>> {
  for (const first of firstPorts) {
    try {
      return await openPorts(
        Array.from({ length: portCount }, (_, index) => first + index),
        host,
      )
    } catch {
      // Try the next range, because a port of this range is already in use.
    }
  }
  return new Map()
}

async function makeCertificate(): Promise<{ certificate: string; key: string }> {
  const notBeforeDate = new Date()
  const { cert, private: key } = await generate([{ name: 'commonName', value: `*.${domain}` }], {
    keyType: 'ec',
    notBeforeDate,
    notAfterDate: new Date(notBeforeDate.getTime() + certificateDays * 24 * 3_600_000),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: domain },
          { type: 2, value: `*.${domain}` },
        ],
      },
    ],
  })
  return { certificate: cert, key }
}

/**
 * Opens all kinds of addresses for instances on this machine, without configuration by the user: host names on the port of the
 * site, TLS with a new certificate, and a range of plain ports.
 * @param sitePort port of the site
 */
export async function openInstanceAddresses(host: string, sitePort: number): Promise<LocalWays> {
  const [tls, row, certificate] = await Promise.all([openPorts([0], host), openRow(host), makeCertificate()])
  const [tlsServer] = [...tls.values()]
  if (!tlsServer) throw new Error('The system gave no port')
  const tlsPort = (tlsServer.address() as AddressInfo).port
  const numbers = [...row.keys()]
  const [first, last] = [numbers[0], numbers.at(-1)]
  const ports = first === undefined || last === undefined ? undefined : { first, last }
  return {
    environment: {
      CAPSTAN_INSTANCES_DOMAIN: domain,
      CAPSTAN_INSTANCES_WEB: 'http',
      CAPSTAN_INSTANCES_WEB_PORT: String(sitePort),
      CAPSTAN_INSTANCES_TLS_PORT: String(tlsPort),
      ...(ports && { CAPSTAN_INSTANCES_PORTS: `${ports.first}-${ports.last}` }),
    },
    config: { domain, tls: certificate },
    tlsPort,
    ports,
    attach(gateway) {
      gateway.attachTls(tlsServer)
      for (const [port, server] of row) gateway.attachPort(server, port)
    },
    close: async () => {
      await Promise.all([closePorts(tls), closePorts(row)])
    },
  }
}
