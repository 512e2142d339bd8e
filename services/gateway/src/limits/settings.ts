import type { GatewayLimits } from '@capstan/contract/limits'

/** What an operator may change of `GatewayLimits`. */
export type GatewayLimitSettings = { readonly [Name in keyof typeof GatewayLimits]: number }
