import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import styles from './toolbar.module.css'

interface ToolbarProps {
  /** Finds: the search box; takes the room. */
  readonly search?: ReactNode
  /** Filters beside it. */
  readonly children?: ReactNode
  /** At the end: state and actions, the main one last. */
  readonly end?: ReactNode
}

/** What stands above a list: search, filters, actions. */
export const Toolbar = ({ search, children, end }: ToolbarProps) => (
  <div className={styles.bar}>
    {search && <div className={styles.search}>{search}</div>}
    {children}
    {end && <div className={styles.end}>{end}</div>}
  </div>
)

interface SelectionBarProps {
  /** How much is chosen. */
  readonly label: string
  readonly clearLabel: string
  readonly onClear: () => void
  /** What can be done to it. */
  readonly children: ReactNode
}

/** Stands at the bottom of a list while some of it is chosen. */
export const SelectionBar = ({ label, clearLabel, onClear, children }: SelectionBarProps) => (
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

/** Only on a phone, where tables have no heads. */
export const OnPhone = ({ children }: { readonly children: ReactNode }) => <span className={styles.onPhone}>{children}</span>
