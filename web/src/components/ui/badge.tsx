import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx.ts'
import styles from './display.module.css'

export type BadgeTone = 'neutral' | 'brand' | 'ok' | 'warn' | 'bad'

/** State or kind of an item, in one or two words. */
export function Badge({ tone = 'neutral', className, ...rest }: ComponentProps<'span'> & { readonly tone?: BadgeTone }) {
  return <span {...rest} data-tone={tone} className={cx(styles.badge, className)} />
}

const alertIcons = { info: Info, ok: CircleCheck, warn: TriangleAlert, bad: CircleAlert } as const

type AlertProps = Readonly<{
  tone?: keyof typeof alertIcons
  title?: ReactNode
  children?: ReactNode
  actions?: ReactNode
  className?: string
}>

/** Permanent note next to the item that it describes. */
export function Alert({ tone = 'info', title, children, actions, className }: AlertProps) {
  const Icon = alertIcons[tone]
  return (
    <div role={tone === 'bad' ? 'alert' : 'status'} data-tone={tone} className={cx(styles.alert, className)}>
      <Icon aria-hidden />
      <div className="grow stack gap-1">
        {title && <strong>{title}</strong>}
        {children && <div className="muted">{children}</div>}
        {actions && <div className="row gap-2">{actions}</div>}
      </div>
    </div>
  )
}
