import { HeaderLimits } from '@capstan/contract/limits'

const bearerForm = /^bearer +([\w-]+\.[\w-]+)$/i

/** Reads the API token of a request. Ignores tokens of another form, such as the three-part token of a proxy. */
export function readApiTokenOfRequest(authorization: string | undefined): string | undefined {
  return authorization === undefined || authorization.length > HeaderLimits.maxAuthorizationBytes
    ? undefined
    : bearerForm.exec(authorization)?.[1]
}
