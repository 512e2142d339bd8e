import { CloudOff, TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { isRouteErrorResponse, useRouteError } from 'react-router'
import styles from '../components/layout/message.module.css'
import { NotFoundPage } from '../components/layout/not-found.tsx'
import { Button } from '../components/ui/button.tsx'
import { cx } from '../components/ui/cx.ts'
import { docsPage, projectPages } from '../lib/build.ts'
import { clearCacheAndReload } from '../lib/cache.ts'
import { FileError } from '../lib/load-file.ts'
import { reloadAfterOutage } from '../lib/reload-after-outage.ts'
import { listenForRetries } from '../lib/retry-signs.ts'

type ErrorScreenProps = Readonly<{
  error: unknown
  /** True if the screen is inside the page layout, which already contains the landmarks (WAI-ARIA). */
  inside?: boolean
}>

/** Error screen of the application. It shows no stack if a file failed to load, because the cause is then not in the code. */
export function ErrorScreen(props: ErrorScreenProps) {
  return props.error instanceof FileError ? <MissingFile {...props} /> : <Fault {...props} />
}

/** Shows that a file failed to load, and reloads the page when the outage ends. */
function MissingFile({ inside }: ErrorScreenProps) {
  const { t } = useTranslation()
  const Frame = inside ? 'div' : 'main'
  useEffect(() => listenForRetries(() => void reloadAfterOutage()), [])
  return (
    <Frame className={cx('stack gap-3 centered', styles.message)}>
      <CloudOff aria-hidden className="faint" />
      <h1>{t('error.title')}</h1>
      <p role="alert" className="muted">
        {t('error.fileText')}
      </p>
      <Button variant="primary" onClick={() => location.reload()}>
        {t('action.retry')}
      </Button>
    </Frame>
  )
}

/** Shows the error message, the stack and a hint, and offers to retry or to clean the cache. */
function Fault({ error, inside }: ErrorScreenProps) {
  const { t } = useTranslation()
  const message = error instanceof Error ? error.message : String(error)
  const Frame = inside ? 'div' : 'main'
  const stack = error instanceof Error ? error.stack : undefined
  return (
    <Frame className={cx('stack gap-3 centered', styles.message)}>
      <TriangleAlert aria-hidden className="faint" />
      <h1>{t('error.screen.title')}</h1>
      <p role="alert" className="muted">
        <code>{message}</code>
      </p>
      <div className="row gap-2">
        <Button variant="primary" onClick={() => location.reload()}>
          {t('action.retry')}
        </Button>
        <Button onClick={clearCacheAndReload}>{t('error.screen.cleanCache')}</Button>
      </div>
      <p className="small">
        {t('error.screen.cleanCache')}: {t('error.screen.cleanCacheHint')}
        <br />
        {t('error.screen.hint')}{' '}
        <a href={projectPages?.issues ?? docsPage} target="_blank" rel="noopener noreferrer">
          {projectPages ? t('error.screen.report') : t('language.docs')}
        </a>
      </p>
      {stack && (
        <details className={cx('fold-text', styles.details)}>
          <summary>{t('error.screen.stack')}</summary>
          <pre className="frame padded tiny typed">{stack}</pre>
        </details>
      )}
    </Frame>
  )
}

/** Error screen that the router shows if the page layout fails. */
export function RouteErrorScreen() {
  return <ErrorScreen error={useRouteError()} />
}

/** Error screen that the router shows in place of a page that fails. For a 404 it shows the not-found page. */
export function PageErrorScreen() {
  const error = useRouteError()
  return isRouteErrorResponse(error) && error.status === 404 ? <NotFoundPage /> : <ErrorScreen error={error} inside />
}
