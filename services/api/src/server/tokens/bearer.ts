import { HeaderLimits } from '@capstan/contract/limits'

const bearerForm = /^bearer +([\w-]+\.[\w-]+)$/i

/**
 * The API token that a request carries. What has another form, for example the three parts that a proxy in front may add, is none
 * of ours and counts as absent.
 */
export function readBearer(authorization: string | undefined): string | undefined {
  return authorization === undefined || authorization.length > HeaderLimits.authorizationMaxBytes
    ? undefined
    : bearerForm.exec(authorization)?.[1]
}
