import { lazy, Suspense } from 'react'
import { Outlet } from 'react-router'
import { loadAreas } from '../lib/i18n.ts'
import { loadFile } from '../lib/load-file.ts'
import { useSession } from '../lib/session.ts'

const SessionEnded = lazy(async () => {
  const [file] = await Promise.all([loadFile(() => import('../features/account/session-ended.tsx')), loadAreas(['account'])])
  return { default: file.SessionEnded }
})

/** Shows the page of the address, and the login dialog above it if the session has ended. */
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
