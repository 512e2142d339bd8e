import { CloudOff, Inbox, Lock, type LucideIcon } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { getErrorTitle } from '../../lib/error-title.ts'
import { ApiError, TransportError } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { Button, ButtonLink } from './button.tsx'
import { cx } from './cx.ts'
import styles from './display.module.css'

type StateProps = Readonly<{
  icon?: LucideIcon
  title: ReactNode
  children?: ReactNode
  actions?: ReactNode
  /** True if the message fills the page. Its title is then a heading of level 1. */
  isPage?: boolean
}>

export function EmptyState({ icon: Icon = Inbox, title, children, actions, isPage }: StateProps) {
  const Heading = isPage ? 'h1' : 'h2'
  return (
    <div className={cx('stack gap-2 centered', styles.state)}>
      <Icon aria-hidden />
      <Heading>{title}</Heading>
      {children && <p>{children}</p>}
      {actions && <div className={cx('row gap-2', styles.stateActions)}>{actions}</div>}
    </div>
  )
}

/** Message that replaces a page if the visitor is not allowed to see it. */
export function ForbiddenState({ title, children, ...rest }: Omit<StateProps, 'icon'>) {
  return (
    <EmptyState {...rest} icon={Lock} title={title}>
      {children}
    </EmptyState>
  )
}

type ErrorStateProps = Readonly<{
  error: unknown
  /** Function that retries the read. After a 429, its button stays disabled until the required wait is over. */
  onRetry?: () => unknown
  title?: ReactNode
  /** True if the message fills the page. Its title is then a heading of level 1. */
  isPage?: boolean
}>

/** Message about a failed read, with the cause and a retry button. */
export function ErrorState({ error, onRetry, title, isPage }: ErrorStateProps) {
  const { t } = useTranslation()
  const Heading = isPage ? 'h1' : 'h2'
  const wait = useRetryWait(error)
  const needsFactor = error instanceof ApiError && error.code === 'second-factor.required'
  return (
    <div className={cx('stack gap-2 centered', styles.state)} role="alert">
      <CloudOff aria-hidden />
      <Heading>{title ?? t('error.title')}</Heading>
      <p>
        <ErrorText error={error} />
      </p>
      {(needsFactor || onRetry) && (
        <div className={cx('row gap-2', styles.stateActions)}>
          {needsFactor && (
            <ButtonLink variant="primary" to={paths.profile.to()}>
              {t('nav.profile')}
            </ButtonLink>
          )}
          {onRetry && (
            <Button disabled={wait > 0} onClick={() => void onRetry()}>
              {wait > 0 ? t('error.retryIn', { seconds: wait }) : t('action.retry')}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

/** Returns the seconds until a retry is useful, and counts down. Returns 0 if no wait is required. */
export function useRetryWait(error: unknown): number {
  const seconds = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0
  const [left, setLeft] = useState(seconds)
  // biome-ignore lint/correctness/useExhaustiveDependencies: every new error starts a new wait
  useEffect(() => {
    setLeft(seconds)
    if (seconds === 0) return
    const timer = setInterval(() => setLeft((known) => Math.max(0, known - 1)), 1000)
    return () => clearInterval(timer)
  }, [error, seconds])
  return left
}

/** Text of an error: the message of the server, or a local text with advice if the server did not respond. */
export function ErrorText({ error }: { readonly error: unknown }) {
  const { t } = useTranslation()
  const wait = useRetryWait(error)
  if (error instanceof ApiError && error.httpStatus === 429)
    return wait > 0 ? `${error.message}. ${t('error.waitSeconds', { count: wait })}` : `${error.message}. ${t('error.tryLater')}`
  const title = getErrorTitle(error)
  if (error instanceof ApiError && error.code === 'file.unreadable') return `${title}. ${t('avatar.unfit')}`
  return error instanceof TransportError ? `${title}. ${t(`error.transport.${error.kind}`)}` : title
}
