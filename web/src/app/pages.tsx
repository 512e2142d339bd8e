import { lazy, Suspense } from 'react'
import { Outlet } from 'react-router'
import { loadAreas } from '../lib/i18n.ts'
import { loadFile } from '../lib/load-file.ts'
import { useSession } from '../lib/session.ts'

const SessionEnded = lazy(async () => {
  const [file] = await Promise.all([loadFile(() => import('../features/account/session-ended.tsx')), loadAreas(['account'])])
  return { default: file.SessionEnded }
})

/** Shows the page of the current address. If the session has ended, also shows the login dialog above the page. */
export function Pages() {
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
