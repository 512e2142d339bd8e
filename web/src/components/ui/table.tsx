import type { ComponentProps } from 'react'
import { cx } from './cx.ts'
import styles from './display.module.css'

type TableProps = ComponentProps<'table'> &
  Readonly<{
    label: string
    dense?: boolean
    /** True if rows become small lists on a phone. Each cell then needs `data-label`. */
    listOnPhone?: boolean
  }>

/** Table. Its children are `thead`, `tbody`, `tr`, `th scope` and `td`. Cells with numbers need `className={tableEnd}`. */
export function Table({ label, dense, listOnPhone, className, ...rest }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={cx('frame', styles.tableWrap)} aria-label={label} tabIndex={0}>
      <table {...rest} className={cx(styles.table, dense && styles.dense, listOnPhone && styles.listing, className)} />
    </section>
  )
}

/** Class that aligns cells at the end (numbers, actions). */
export const tableEnd = styles.end
