import type { GatewayLimits } from '@capstan/contract/limits'

/** Limits of `GatewayLimits` that an operator may change. */
export type GatewayLimitSettings = { readonly [Name in keyof typeof GatewayLimits]: number }
