import { lazy, Suspense } from 'react'
import { Outlet } from 'react-router'
import { loadTextsOfAreas } from '../lib/i18n.ts'
import { loadApplicationFile } from '../lib/load-file.ts'
import { useSession } from '../lib/session.ts'

const SessionEnded = lazy(async () => {
  const [file] = await Promise.all([
    loadApplicationFile(() => import('../features/account/session-ended.tsx')),
    loadTextsOfAreas(['account']),
  ])
  return { default: file.SessionEndedDialog }
})

/** Shows the page of the current address. If the session has ended, also shows the login dialog above the page. */
export function CurrentPage() {
  const { hasEnded, profile } = useSession()
  return (
    <>
      <Outlet />
      {hasEnded && profile && (
        <Suspense>
          <SessionEnded profile={profile} />
        </Suspense>
      )}
    </>
  )
}
