import type { ComponentProps, ReactNode } from 'react'
import { Link, type LinkProps } from 'react-router'
import styles from './controls.module.css'
import { cx } from './cx.ts'
import { Tooltip } from './tooltip.tsx'

type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger'

type Look = Readonly<{
  /** Style of the button, `secondary` by default. A view has at most one `primary` button. */
  variant?: ButtonVariant
  size?: 'small' | 'normal'
  wide?: boolean
}>

function classOf({ variant = 'secondary', size, wide }: Look, ...more: (string | false | undefined)[]) {
  return cx(styles.button, styles[variant], size === 'small' && styles.small, wide && styles.wide, ...more)
}

export type ButtonProps = ComponentProps<'button'> &
  Look &
  Readonly<{
    /** True while an action runs. The button retains its size and focus but ignores clicks. */
    busy?: boolean
  }>

export function Button({ variant, size, wide, busy, className, onClick, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={classOf(
        { ...(variant && { variant }), ...(size && { size }), ...(wide && { wide }) },
        busy && styles.busy,
        className,
      )}
    />
  )
}

export function ButtonLink({ variant, size, wide, className, ...rest }: LinkProps & Look) {
  return (
    <Link
      {...rest}
      className={classOf({ ...(variant && { variant }), ...(size && { size }), ...(wide && { wide }) }, className)}
    />
  )
}

/** Link that looks like a button and opens a file or another site. */
export function ButtonAnchor({ variant, size, wide, className, ...rest }: ComponentProps<'a'> & Look) {
  return (
    <a {...rest} className={classOf({ ...(variant && { variant }), ...(size && { size }), ...(wide && { wide }) }, className)} />
  )
}

export type IconButtonProps = Omit<ButtonProps, 'children' | 'wide'> &
  Readonly<{
    label: string
    children: ReactNode
    tooltipSide?: 'top' | 'right' | 'bottom' | 'left'
  }>

export function IconButton({ label, variant = 'ghost', className, tooltipSide, ...rest }: IconButtonProps) {
  return (
    <Tooltip content={label} {...(tooltipSide && { side: tooltipSide })}>
      <Button {...rest} variant={variant} aria-label={label} className={cx(styles.icon, className)} />
    </Tooltip>
  )
}
