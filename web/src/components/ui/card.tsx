import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx.ts'
import styles from './display.module.css'

type CardProps = Omit<ComponentProps<'section'>, 'title'> &
  Readonly<{
    title?: ReactNode
    actions?: ReactNode
    /** True if the content fills the card up to its border (tables, lists). */
    flush?: boolean
  }>

/** Framed surface for a part of a page. If it has a title, it is a section with a heading of level 2. */
export function Card({ title, actions, flush, className, children, ...rest }: CardProps) {
  return (
    <section {...rest} className={cx(styles.card, flush && styles.flush, className)}>
      {(title || actions) && (
        <header className={cx('row gap-2 row-between', styles.cardHead)}>
          <h2>{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  )
}
