import { type ReactNode, useId } from 'react'
import { NavLink, useLocation } from 'react-router'
import { cx } from './cx.ts'
import styles from './display.module.css'
import { useScrollToCurrent } from './use-scroll-to-current.ts'

export type TabLink = Readonly<{
  to: string
  label: ReactNode
  icon?: ReactNode
  /**
   * True if the tab is current only at exactly its address. Otherwise it is also current at addresses that begin with its
   * address.
   */
  exact?: boolean
}>

/** Tabs that are links. If not all tabs fit, the current tab scrolls into view. */
export function LinkTabs({ label, tabs }: Readonly<{ label: string; tabs: readonly TabLink[] }>) {
  const { pathname } = useLocation()
  const list = useScrollToCurrent(pathname, tabs.length)
  return (
    <nav ref={list} aria-label={label} className={cx('scroll-line', styles.tabs)}>
      {tabs.map((tab) => (
        <NavLink key={tab.to} to={tab.to} end={tab.exact ?? false} className={styles.tab ?? ''}>
          {tab.icon}
          {tab.label}
        </NavLink>
      ))}
    </nav>
  )
}

type SegmentsProps<Value extends string> = Readonly<{
  label: string
  value: Value
  onValueChange: (value: Value) => void
  options: readonly Readonly<{ value: Value; label: ReactNode }>[]
}>

/** Control to select one of two to four visible options (views, filters). */
export function SegmentedControl<Value extends string>({ label, value, onValueChange, options }: SegmentsProps<Value>) {
  const name = useId()
  return (
    <div role="radiogroup" aria-label={label} className={styles.segments}>
      {options.map((option) => (
        <label key={option.value} className={styles.segment}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onValueChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </div>
  )
}
