import type { MessageBus } from '@capstan/bus/message-bus'
import type { Seats } from '@capstan/bus/seats'
import { Counter, Gauge, type Registry } from 'prom-client'

export type GatewayMetrics = ReturnType<typeof createMetrics>

/** Creates the metrics of the gateway in the registry of the caller, because a process has one `/metrics`. */
export function createMetrics(registry: Registry, bus: MessageBus, seats: Seats) {
  const registers = [registry]
  new Gauge({
    name: 'capstan_gateway_bus_up',
    help: '1 while realtime messages of other processes arrive, else 0',
    registers,
    collect() {
      this.set(bus.health().state === 'up' ? 1 : 0)
    },
  })
  new Gauge({
    name: 'capstan_gateway_seats_shared',
    help: '1 while connections to an instance count over all gateways, 0 while each counts its own',
    registers,
    collect() {
      this.set(seats.isShared() ? 1 : 0)
    },
  })
  return {
    hubClients: new Gauge({ name: 'capstan_gateway_hub_clients', help: 'Connected clients', labelNames: ['hub'], registers }),
    hubMessages: new Counter({
      name: 'capstan_gateway_hub_messages_total',
      help: 'Messages sent, counted once per client',
      labelNames: ['hub'],
      registers,
    }),
    slowReaders: new Counter({
      name: 'capstan_gateway_hub_slow_readers_total',
      help: 'Clients dropped because they left too much unread',
      labelNames: ['hub'],
      registers,
    }),
    proxyConnections: new Gauge({ name: 'capstan_gateway_proxy_connections', help: 'Open proxied connections', registers }),
    certificateExpires: new Gauge({
      name: 'capstan_gateway_certificate_expires_timestamp_seconds',
      help: 'When the certificate of instances that is shown now expires, in seconds since 1970; 0 where no TLS ends',
      registers,
    }),
    proxyOpened: new Counter({
      name: 'capstan_gateway_proxy_attempts_total',
      help: 'Attempts to open a proxied connection, by their outcome: `opened` or the problem code',
      labelNames: ['outcome'],
      registers,
    }),
    directOpened: new Counter({
      name: 'capstan_gateway_direct_attempts_total',
      help: 'Attempts to reach an instance by host name, TLS or port, by their outcome: `opened`, the problem code or the page',
      labelNames: ['way', 'outcome'],
      registers,
    }),
    proxyBytes: new Counter({
      name: 'capstan_gateway_proxy_bytes_total',
      help: 'Bytes of finished and running proxied connections, as seen from the client',
      labelNames: ['direction'],
      registers,
    }),
    refusals: new Counter({
      name: 'capstan_gateway_refusals_total',
      help: 'Sockets and attempts refused because a client, or all together, have as many as they may, and connections ended for being slow or silent, by the limit that was met',
      labelNames: ['limit'],
      registers,
    }),
    lostReports: new Counter({
      name: 'capstan_gateway_proxy_reports_lost_total',
      help: 'Connection rows that the api did not take in time',
      registers,
    }),
  }
}
