import type { ReactNode } from 'react'
import { cx } from '../../components/ui/cx.ts'
import styles from './desk.module.css'

type TileProps = Readonly<{
  title: string
  /** Note next to the title, for example about what the tile counts. */
  note?: ReactNode
  className?: string | undefined
  children: ReactNode
}>

export function DashboardTile({ title, note, className, children }: TileProps) {
  return (
    <section className={cx('stack gap-3 frame padded', className)} aria-label={title}>
      <header className={cx('row row-between', styles.tileHead)}>
        <h2 className="muted medium">{title}</h2>
        {note && <span className="muted tiny">{note}</span>}
      </header>
      {children}
    </section>
  )
}
