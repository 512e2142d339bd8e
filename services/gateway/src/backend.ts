/** Calls to the api. The gateway has no database. */
export type { GatewayBackend as Backend } from '@capstan/contract/gateway-backend'
