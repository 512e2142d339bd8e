import { operations } from '@capstan/contract/operations'
import { LinkConfirmation } from '../../features/account/link-confirmation.tsx'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { beginSession } from '../../lib/session.ts'

/** Page that opens from the link in the activation mail. The activation also logs the user in. */
export function Route() {
  return (
    <LinkConfirmation
      area="verify"
      target={paths.home.to()}
      confirm={async (body) => {
        await call(operations.verifyAccount, { body })
        await beginSession()
      }}
    />
  )
}
