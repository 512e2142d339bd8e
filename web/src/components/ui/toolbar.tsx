import type { ReactNode } from 'react'
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
