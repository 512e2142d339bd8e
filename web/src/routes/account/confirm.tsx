import { operations } from '@capstan/contract/operations'
import { RequireRole } from '../../components/layout/access.tsx'
import { LinkConfirmation } from '../../features/account/link-confirmation.tsx'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { refresh } from '../../lib/server-state.ts'

/**
 * Page that opens from the link that confirms a new email address. It requires that the user whose email address changes is
 * logged in.
 */
export function Route() {
  return (
    <RequireRole>
      <LinkConfirmation
        area="confirm"
        target={paths.profile.to()}
        confirm={async (body) => {
          await call(operations.confirmEmailChange, { body })
          await refresh(operations.getOwnProfile)
        }}
      />
    </RequireRole>
  )
}
