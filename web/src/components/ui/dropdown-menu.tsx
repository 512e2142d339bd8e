import { Check } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import { type ReactNode, use, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { cx } from './cx.ts'
import { OpenedByKey } from './lazy-menu.tsx'
import styles from './overlay.module.css'

type MenuProps = Readonly<{
  trigger: ReactNode
  align?: 'start' | 'center' | 'end'
  side?: 'top' | 'right' | 'bottom' | 'left'
  defaultOpen?: boolean
  children: ReactNode
}>

export function PopupMenu({ trigger, align = 'end', side = 'bottom', defaultOpen = false, children }: MenuProps) {
  return (
    <Radix.Root modal={false} defaultOpen={defaultOpen}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content align={align} side={side} sideOffset={6} collisionPadding={8} className={cx('float', styles.menu)}>
          {defaultOpen && <FirstByKey />}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/**
 * Focuses the first item if the user opened the menu by a key. The menu library loads after the key press, so it cannot detect the
 * key.
 */
function FirstByKey() {
  const place = useRef<HTMLSpanElement>(null)
  const isByKey = use(OpenedByKey)
  useEffect(() => {
    if (!isByKey) return
    const first = place.current?.parentElement?.querySelector<HTMLElement>('[role^=menuitem]:not([data-disabled])')
    first?.focus({ preventScroll: true })
  }, [isByKey])
  return <span ref={place} hidden />
}

type MenuItemProps = Readonly<{
  icon?: ReactNode
  children: ReactNode
  end?: ReactNode
  danger?: boolean
  disabled?: boolean
  onSelect?: () => void
  to?: string
}>

export function MenuItem({ icon, children, end, danger, disabled, onSelect, to }: MenuItemProps) {
  const content = (
    <>
      {icon}
      <span className="truncate">{children}</span>
      {end !== undefined && <span className={cx('end faint tiny', styles.itemEnd)}>{end}</span>}
    </>
  )
  return (
    <Radix.Item
      asChild={to !== undefined}
      className={cx(styles.item, danger && styles.dangerItem)}
      {...(disabled && { disabled })}
      {...(onSelect && { onSelect })}
    >
      {to === undefined ? content : <Link to={to}>{content}</Link>}
    </Radix.Item>
  )
}

type MenuChoiceProps<Value extends string> = Readonly<{
  value: Value
  onValueChange: (value: Value) => void
  options: readonly Readonly<{ value: Value; label: ReactNode; end?: ReactNode }>[]
}>

/** Group of menu options with a check mark on the selected one. */
export function MenuOptionGroup<Value extends string>({ value, onValueChange, options }: MenuChoiceProps<Value>) {
  return (
    <Radix.RadioGroup value={value} onValueChange={(next) => onValueChange(next as Value)}>
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} className={styles.item}>
          <span className={styles.check}>
            <Radix.ItemIndicator>
              <Check />
            </Radix.ItemIndicator>
          </span>
          <span className="truncate">{option.label}</span>
          {option.end && <span className={cx('end faint tiny', styles.itemEnd)}>{option.end}</span>}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}

export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return <Radix.Label className={cx('faint tiny medium', styles.menuLabel)}>{children}</Radix.Label>
}

export function MenuSeparator() {
  return <Radix.Separator className={styles.separator} />
}
