import { Compass } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { usePageTitle } from '../../lib/config.ts'
import { paths } from '../../lib/paths.ts'
import { ButtonLink } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import styles from './message.module.css'

export function NotFoundPage() {
  const { t } = useTranslation()
  usePageTitle(t('notFound.title'))
  return (
    <div className={cx('stack gap-3 centered', styles.message)}>
      <Compass aria-hidden className="faint" />
      <h1>{t('notFound.title')}</h1>
      <p className="muted">
        {t('notFound.text')}
        <br />
        <span className="faint">{t('notFound.hint')}</span>
      </p>
      <ButtonLink variant="primary" to={paths.home.to()}>
        {t('notFound.home')}
      </ButtonLink>
    </div>
  )
}
