/** What the gateway asks the api; it has no database of its own. */
export type { GatewayBackend as Backend } from '@capstan/contract/gateway-backend'
