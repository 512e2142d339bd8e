import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx.ts'
import styles from './display.module.css'

export type BadgeTone = 'neutral' | 'brand' | 'ok' | 'warn' | 'bad'

/** A state or kind in one or two words. */
export const Badge = ({ tone = 'neutral', className, ...rest }: ComponentProps<'span'> & { readonly tone?: BadgeTone }) => (
  <span {...rest} data-tone={tone} className={cx(styles.badge, className)} />
)

const alertIcons = { info: Info, ok: CircleCheck, warn: TriangleAlert, bad: CircleAlert } as const

interface AlertProps {
  readonly tone?: keyof typeof alertIcons
  readonly title?: ReactNode
  readonly children?: ReactNode
  readonly actions?: ReactNode
  readonly className?: string
}

/** A remark that stays in the page, beside what it is about. */
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
