import type { Role } from '@capstan/contract/common'
import { hasRole } from '@capstan/contract/roles'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, useLocation } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { useSession } from '../../lib/session.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Skeleton, SkeletonLines } from '../ui/skeleton.tsx'
import { ErrorState, ForbiddenState } from '../ui/states.tsx'
import styles from './shell.module.css'

type RequireRoleProps = Readonly<{
  atLeast?: Role
  /** True if the page already has its heading of level 1. */
  isInPage?: boolean
  children: ReactNode
}>

/** Navigation state for the login page. It means that the visitor was redirected from a page that needs an account. */
export const loginNeeded = { isLoginNeeded: true } as const

export function RoleGate({ atLeast: needed = 'User', isInPage, children }: RequireRoleProps) {
  const { t } = useTranslation()
  const { state, role, error, refresh } = useSession()
  const { pathname, search } = useLocation()
  if (state === 'unknown') return error ? <ErrorState isPage={!isInPage} error={error} onRetry={refresh} /> : <PageSkeleton />
  if (state === 'visitor') return <Navigate replace to={paths.login.to(`${pathname}${search}`)} state={loginNeeded} />
  if (state === 'banned')
    return (
      <ForbiddenState isPage={!isInPage} title={t('banned.title')}>
        {t('banned.text')}
      </ForbiddenState>
    )
  if (hasRole(role, needed)) return children
  return (
    <ForbiddenState
      isPage={!isInPage}
      title={t('forbidden.title')}
      actions={
        <ButtonLink variant="primary" to={paths.home.to()}>
          {t('notFound.home')}
        </ButtonLink>
      }
    >
      {t('forbidden.text', { role: t(`role.${needed}`) })}
    </ForbiddenState>
  )
}

export function PageSkeleton() {
  const { t } = useTranslation()
  return (
    <div className={styles.page} role="status" aria-label={t('loading')}>
      <div className={styles.header}>
        <Skeleton width="220px" height="29px" />
      </div>
      <SkeletonLines count={5} />
    </div>
  )
}
