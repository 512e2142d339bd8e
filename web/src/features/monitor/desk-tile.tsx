import type { ReactNode } from 'react'
import { cx } from '../../components/ui/cx.ts'
import styles from './desk.module.css'

interface TileProps {
  readonly title: string
  /** Beside the title, for example what the figures count. */
  readonly note?: ReactNode
  readonly className?: string | undefined
  readonly children: ReactNode
}

export const Tile = ({ title, note, className, children }: TileProps) => (
  <section className={cx(styles.tile, className)} aria-label={title}>
    <header className={styles.tileHead}>
      <h2>{title}</h2>
      {note && <span>{note}</span>}
    </header>
    {children}
  </section>
)
