import { operations } from '@capstan/contract/operations'
import { RoleGate } from '../../components/layout/access.tsx'
import { LinkConfirmation } from '../../features/account/link-confirmation.tsx'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { refreshCall } from '../../lib/server-state.ts'

/**
 * Page that opens from the link that confirms a new email address. It requires that the user whose email address changes is
 * logged in.
 */
export function Route() {
  return (
    <RoleGate>
      <LinkConfirmation
        area="confirm"
        confirm={async (body) => {
          await call(operations.confirmEmailChange, { body })
          await refreshCall(operations.getOwnProfile)
          return paths.profile.to()
        }}
      />
    </RoleGate>
  )
}
