import { Limits } from '@capstan/contract/limits'
import type { ApiConfig } from '../../server/config.ts'
import { createHostCookie } from '../../server/sessions/host-cookie.ts'

/** Cookie of a login that waits for the second factor. Only the browser that sent the right password has the cookie. */
export function pendingLoginCookie({ publicOrigin }: Pick<ApiConfig, 'publicOrigin'>) {
  return createHostCookie(publicOrigin, { name: 'capstan_login', sameSite: 'strict', maxAge: Limits.pendingLoginMinutes * 60 })
}
