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
  /** The one level-1 heading; also the name of the browser's tab. */
  title: string
  description?: ReactNode
  /** The one primary action, last among few. */
  actions?: ReactNode
  /** `LinkTabs`. */
  tabs?: ReactNode
  /** `normal` 1360 px, `narrow` 720 px (text, forms), `wide` 1848 px (several columns), `full` the whole window (boards). */
  width?: 'normal' | 'wide' | 'narrow' | 'full'
  /** Little room around: as much as possible in the first screen. */
  dense?: boolean
  /** The heading is for screen readers only, where the layout above already names the place. */
  hideTitle?: boolean
  /** The content brings the level-1 heading itself. */
  headingBelow?: boolean
  children: ReactNode
}>

/** Frame of every page: header with title, action and tabs, then content. */
export function Page({
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
        <header className={styles.header}>
          <div className={styles.headerText}>
            <h1>{title}</h1>
            {description && <p>{description}</p>}
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

/** Width in CSS pixels from which on pages need no warning; `.narrowWarning` has the same. */
const desktopWidth = 901

/** Warning on narrow screens above pages made for desktop width. It is shown once: in one section, until it is dismissed. */
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
  /** Names the section; pages below keep their own level-1 heading. */
  title?: ReactNode
  /** At the end of the title's line: where else an organizer goes from here. */
  actions?: ReactNode
  tabs: ReactNode
  /** Under the tabs, for example `NarrowScreenWarning`. */
  children?: ReactNode
}>

/** Above the pages of a section with tabs (administration, monitoring). */
export function SectionHeader({ title, actions, tabs, children }: SectionHeaderProps) {
  return (
    <div className={styles.section}>
      {title && (
        <div className={styles.sectionTop}>
          <div className={styles.sectionTitle}>{title}</div>
          {actions}
        </div>
      )}
      {tabs}
      {children}
    </div>
  )
}
