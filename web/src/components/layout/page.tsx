import { Monitor } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { usePageTitle } from '../../lib/config.ts'
import { useNarrowWarning } from '../../stores/narrow-warning.ts'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import styles from './shell.module.css'
import { StaleHint } from './stale-hint.tsx'

type PageProps = Readonly<{
  /** Text of the only heading of level 1, and title of the browser tab. */
  title: string
  description?: ReactNode
  actions?: ReactNode
  tabs?: ReactNode
  /**
   * Maximum width: `normal` 1360 px, `narrow` 720 px (text, forms), `wide` 1848 px (several columns), `full` the whole window
   * (boards).
   */
  width?: 'normal' | 'wide' | 'narrow' | 'full'
  /** True for smaller margins, so that more content fits onto the first screen. */
  dense?: boolean
  /** True to hide the heading visually, because the layout already shows the name of the page. */
  hideTitle?: boolean
  /** True if the content contains the heading of level 1. */
  headingBelow?: boolean
  children: ReactNode
}>

/** Layout of every page: header with title, action and tabs, and the content below. */
export function PageLayout({
  title,
  description,
  actions,
  tabs,
  width = 'normal',
  dense,
  hideTitle,
  headingBelow,
  children,
}: PageProps) {
  usePageTitle(title)
  return (
    <div className={cx(styles.page, width !== 'normal' && styles[width], dense && styles.dense)}>
      {hideTitle && !headingBelow && <h1 className="visually-hidden">{title}</h1>}
      {!hideTitle && !headingBelow && (
        <header className={cx('page-head', styles.header)}>
          <div className={styles.headerText}>
            <h1>{title}</h1>
            {description && <p className="muted">{description}</p>}
          </div>
          {actions && <div className="row gap-2">{actions}</div>}
          {tabs && <div className={styles.headerTabs}>{tabs}</div>}
        </header>
      )}
      {children}
      <StaleHint />
    </div>
  )
}

/** Minimum page width for which no warning is needed, in CSS pixels. `.narrowWarning` has the same value. */
const desktopWidth = 901

/**
 * Warns on narrow screens that the pages of a section are made for desktops. The warning appears on these pages until the user
 * dismisses it.
 */
export function NarrowScreenWarning() {
  const { t } = useTranslation()
  const { isDismissed, dismiss } = useNarrowWarning()
  useEffect(
    () => () => {
      if (innerWidth < desktopWidth) dismiss()
    },
    [dismiss],
  )
  if (isDismissed) return null
  return (
    <p className={styles.narrowWarning} role="status">
      <Monitor aria-hidden />
      <span>{t('narrow.text')}</span>
      <Button size="small" variant="ghost" onClick={dismiss}>
        {t('narrow.dismiss')}
      </Button>
    </p>
  )
}

type SectionHeaderProps = Readonly<{
  /** Name of the section. It is not a heading of level 1, because each page of the section already has one. */
  title?: ReactNode
  /** Links to related pages at the end of the title line. */
  actions?: ReactNode
  tabs: ReactNode
  /** Content below the tabs, such as `NarrowScreenWarning`. */
  children?: ReactNode
}>

export function SectionHeader({ title, actions, tabs, children }: SectionHeaderProps) {
  return (
    <div className={styles.section}>
      {title && (
        <div className={cx('row row-between', styles.sectionTop)}>
          <div className={styles.sectionTitle}>{title}</div>
          {actions}
        </div>
      )}
      {tabs}
      {children}
    </div>
  )
}
