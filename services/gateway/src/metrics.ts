import type { MessageBus } from '@capstan/bus/message-bus'
import type { Seats } from '@capstan/bus/seats'
import { Counter, Gauge, type Registry } from 'prom-client'

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>

/** Creates the metrics of the gateway in the registry of the caller, because all parts of a process share one `/metrics`. */
export function createGatewayMetrics(registry: Registry, bus: MessageBus, seats: Seats) {
  const registers = [registry]
  new Gauge({
    name: 'capstan_gateway_bus_up',
    help: '1 if the gateway receives realtime messages of other processes, else 0',
    registers,
    collect() {
      this.set(bus.health().state === 'up' ? 1 : 0)
    },
  })
  new Gauge({
    name: 'capstan_gateway_seats_shared',
    help: '1 if connection limits apply across all gateways, 0 if each gateway counts alone',
    registers,
    collect() {
      this.set(seats.isShared() ? 1 : 0)
    },
  })
  return {
    hubClients: new Gauge({ name: 'capstan_gateway_hub_clients', help: 'Connected clients', labelNames: ['hub'], registers }),
    hubMessages: new Counter({
      name: 'capstan_gateway_hub_messages_total',
      help: 'Messages sent, one per client',
      labelNames: ['hub'],
      registers,
    }),
    slowReaders: new Counter({
      name: 'capstan_gateway_hub_slow_readers_total',
      help: 'Clients disconnected because they read too slowly',
      labelNames: ['hub'],
      registers,
    }),
    proxyConnections: new Gauge({ name: 'capstan_gateway_proxy_connections', help: 'Open proxied connections', registers }),
    certificateExpires: new Gauge({
      name: 'capstan_gateway_certificate_expires_timestamp_seconds',
      help: 'Expiry of the current certificate for instances, in seconds since 1970; 0 if the gateway does not terminate TLS',
      registers,
    }),
    proxyOpened: new Counter({
      name: 'capstan_gateway_proxy_attempts_total',
      help: 'Attempts to open a proxied connection, by outcome: `opened` or the problem code',
      labelNames: ['outcome'],
      registers,
    }),
    directOpened: new Counter({
      name: 'capstan_gateway_direct_attempts_total',
      help: 'Attempts to connect to an instance by host name, TLS or port, by outcome: `opened`, the problem code or the page',
      labelNames: ['way', 'outcome'],
      registers,
    }),
    proxyBytes: new Counter({
      name: 'capstan_gateway_proxy_bytes_total',
      help: 'Bytes of open and closed proxied connections, by direction as seen by the client',
      labelNames: ['direction'],
      registers,
    }),
    refusals: new Counter({
      name: 'capstan_gateway_refusals_total',
      help: 'Refused or closed connections, by the limit that was reached',
      labelNames: ['limit'],
      registers,
    }),
    lostReports: new Counter({
      name: 'capstan_gateway_proxy_reports_lost_total',
      help: 'Connection rows that were lost because the api did not store them in time',
      registers,
    }),
  }
}
