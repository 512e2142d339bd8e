import type { ComponentProps, ReactNode } from 'react'
import { Link, type LinkProps } from 'react-router'
import styles from './controls.module.css'
import { cx } from './cx.ts'
import { Tooltip } from './tooltip.tsx'

type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger'

interface Look {
  /** `primary` once per view. Default `secondary`. */
  readonly variant?: ButtonVariant
  readonly size?: 'small' | 'normal'
  /** As wide as its container. */
  readonly wide?: boolean
}

const classOf = ({ variant = 'secondary', size, wide }: Look, ...more: (string | false | undefined)[]) =>
  cx(styles.button, styles[variant], size === 'small' && styles.small, wide && styles.wide, ...more)

export interface ButtonProps extends ComponentProps<'button'>, Look {
  /** At work: keeps its width and place, refuses further clicks, stays focused. */
  readonly busy?: boolean
}

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

/** A link that looks like a button. */
export function ButtonLink({ variant, size, wide, className, ...rest }: LinkProps & Look) {
  return (
    <Link
      {...rest}
      className={classOf({ ...(variant && { variant }), ...(size && { size }), ...(wide && { wide }) }, className)}
    />
  )
}

/** A link to a file or another site that looks like a button. */
export function ButtonAnchor({ variant, size, wide, className, ...rest }: ComponentProps<'a'> & Look) {
  return (
    <a {...rest} className={classOf({ ...(variant && { variant }), ...(size && { size }), ...(wide && { wide }) }, className)} />
  )
}

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'wide'> {
  /** Its name: tooltip and accessible name. */
  readonly label: string
  readonly children: ReactNode
  readonly tooltipSide?: 'top' | 'right' | 'bottom' | 'left'
}

export function IconButton({ label, variant = 'ghost', className, tooltipSide, ...rest }: IconButtonProps) {
  return (
    <Tooltip content={label} {...(tooltipSide && { side: tooltipSide })}>
      <Button {...rest} variant={variant} aria-label={label} className={cx(styles.icon, className)} />
    </Tooltip>
  )
}
