import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import styles from './toolbar.module.css'

type ToolbarProps = Readonly<{
  /** Finds: the search box; takes the room. */
  search?: ReactNode
  /** Filters beside it. */
  children?: ReactNode
  /** At the end: state and actions, the main one last. */
  end?: ReactNode
}>

/** What stands above a list: search, filters, actions. */
export function Toolbar({ search, children, end }: ToolbarProps) {
  return (
    <div className={styles.bar}>
      {search && <div className={styles.search}>{search}</div>}
      {children}
      {end && <div className={styles.end}>{end}</div>}
    </div>
  )
}

type SelectionBarProps = Readonly<{
  /** How much is chosen. */
  label: string
  clearLabel: string
  onClear: () => void
  /** What can be done to it. */
  children: ReactNode
}>

/** Stands at the bottom of a list while some of it is chosen. */
export function SelectionBar({ label, clearLabel, onClear, children }: SelectionBarProps) {
  return (
    <section className={styles.selection} aria-label={label}>
      <strong className="number">{label}</strong>
      <span className="row gap-2">
        <Button variant="ghost" onClick={onClear}>
          {clearLabel}
        </Button>
        {children}
      </span>
    </section>
  )
}

/** Only on a phone, where tables have no heads. */
export function OnPhone({ children }: { readonly children: ReactNode }) {
  return <span className={styles.onPhone}>{children}</span>
}
