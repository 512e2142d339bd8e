import { CloudOff, TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { isRouteErrorResponse, useRouteError } from 'react-router'
import styles from '../components/layout/message.module.css'
import { NotFound } from '../components/layout/not-found.tsx'
import { Button } from '../components/ui/button.tsx'
import { docsPage, projectPages } from '../lib/build.ts'
import { cleanCacheAndReload } from '../lib/cache.ts'
import { FileError } from '../lib/load-file.ts'

type ErrorScreenProps = Readonly<{
  error: unknown
  /** Shown in the content of a page that has its landmarks already. */
  inside?: boolean
}>

/** The application-wide error screen. A file that did not arrive is no fault of the application: its screen has no stack. */
export function ErrorScreen(props: ErrorScreenProps) {
  return props.error instanceof FileError ? <MissingFile {...props} /> : <Fault {...props} />
}

/** Reloads the page once the connection is back. */
function MissingFile({ inside }: ErrorScreenProps) {
  const { t } = useTranslation()
  const Frame = inside ? 'div' : 'main'
  const reload = () => location.reload()
  useEffect(() => {
    const stop = new AbortController()
    addEventListener('online', reload, { signal: stop.signal })
    return () => stop.abort()
  })
  return (
    <Frame className={styles.message}>
      <CloudOff aria-hidden />
      <h1>{t('error.title')}</h1>
      <p role="alert">{t('error.fileText')}</p>
      <Button variant="primary" onClick={reload}>
        {t('action.retry')}
      </Button>
    </Frame>
  )
}

/** Message, stack, hint, try again, clean cache. */
function Fault({ error, inside }: ErrorScreenProps) {
  const { t } = useTranslation()
  const message = error instanceof Error ? error.message : String(error)
  const Frame = inside ? 'div' : 'main'
  const stack = error instanceof Error ? error.stack : undefined
  return (
    <Frame className={styles.message}>
      <TriangleAlert aria-hidden />
      <h1>{t('error.screen.title')}</h1>
      <p role="alert">
        <code>{message}</code>
      </p>
      <div className="row gap-2">
        <Button variant="primary" onClick={() => location.reload()}>
          {t('action.retry')}
        </Button>
        <Button onClick={cleanCacheAndReload}>{t('error.screen.cleanCache')}</Button>
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
        <details className={styles.details}>
          <summary>{t('error.screen.stack')}</summary>
          <pre>{stack}</pre>
        </details>
      )}
    </Frame>
  )
}

/** For the router, when the frame of the pages failed. */
export function RouteErrorScreen() {
  return <ErrorScreen error={useRouteError()} />
}

/** For the router, in the place of a page; its own 404 is the not-found page. */
export function PageErrorScreen() {
  const error = useRouteError()
  return isRouteErrorResponse(error) && error.status === 404 ? <NotFound /> : <ErrorScreen error={error} inside />
}
