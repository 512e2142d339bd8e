import type { GatewayLimits } from '@capstan/contract/limits'

/** Limits that have defaults in `GatewayLimits` and that an operator may change. */
export type GatewayLimitSettings = { readonly [Name in keyof typeof GatewayLimits]: number }
