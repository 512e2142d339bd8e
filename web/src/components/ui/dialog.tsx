import { X } from 'lucide-react'
import { Dialog as Radix, AlertDialog as RadixAlert } from 'radix-ui'
import { type ReactNode, type RefObject, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { removeIsolationCharacters } from '../../lib/i18n.ts'
import { Button } from './button.tsx'
import { cx } from './cx.ts'
import { Field } from './field.tsx'
import { Input } from './input.tsx'
import styles from './overlay.module.css'
import { useReturnFocus } from './use-return-focus.ts'

type DialogProps = Readonly<{
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  description?: ReactNode
  size?: 'normal' | 'large' | 'huge'
  /** Buttons, the main one last. If the content is a form, the main button needs the attribute `form` with the id of the form. */
  footer?: ReactNode
  /** Element that gets the focus when the dialog opens. The default is the first control. */
  initialFocus?: RefObject<HTMLElement | null>
  /** True if a click outside must not close the dialog, because the user would lose input. */
  keepOpenOutside?: boolean
  /** True if the focused control handles Escape itself, so the key must not close the dialog. */
  isEscapeTaken?: (event: KeyboardEvent) => boolean
  children?: ReactNode
}>

/** Dialog, which is a bottom sheet on a phone. When it closes, the focus returns to the previous element. */
export function Dialog(props: DialogProps) {
  const { t } = useTranslation()
  const focus = useReturnFocus()
  const { open, onOpenChange, title, description, size = 'normal', footer, initialFocus, keepOpenOutside, children } = props
  const { isEscapeTaken } = props
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={styles.scrim} />
        <Radix.Content
          className={cx(styles.dialog, size === 'large' && styles.large, size === 'huge' && styles.huge)}
          {...(!description && { 'aria-describedby': undefined })}
          onCloseAutoFocus={focus.giveBack}
          onOpenAutoFocus={(event) => {
            focus.remember()
            if (!initialFocus?.current) return
            event.preventDefault()
            initialFocus.current.focus()
          }}
          onInteractOutside={(event) => keepOpenOutside && event.preventDefault()}
          onEscapeKeyDown={(event) => isEscapeTaken?.(event) && event.preventDefault()}
        >
          <header className={styles.head}>
            <Radix.Title asChild>
              <h2>{title}</h2>
            </Radix.Title>
          </header>
          {description && <Radix.Description className={cx('muted', styles.description)}>{description}</Radix.Description>}
          {children !== undefined && <div className={styles.body}>{children}</div>}
          {footer && <footer className={cx('row gap-2', styles.foot)}>{footer}</footer>}
          {/* The close button is last in the DOM, so that the content gets the focus when the dialog opens. */}
          <Radix.Close asChild>
            <Button variant="ghost" aria-label={t('action.close')} className={styles.close}>
              <X aria-hidden />
            </Button>
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

type AlertDialogProps = Readonly<{
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  description: ReactNode
  /** Text of the button. It names the action: "Delete 3 teams". */
  confirm: string
  cancel?: string
  danger?: boolean
  typeToConfirm?: string
  busy?: boolean
  isIncomplete?: boolean
  error?: ReactNode
  /** Form fields for values that the action needs. */
  children?: ReactNode
  onConfirm: () => void
  onCancel?: () => void
}>

/** Asks for confirmation before an action that is hard to undo. */
export function ConfirmationDialog(props: AlertDialogProps) {
  const { t } = useTranslation()
  const { open, onOpenChange, title, description, confirm, cancel, danger, typeToConfirm, busy, isIncomplete, error } = props
  const { children, onConfirm, onCancel } = props
  const focus = useReturnFocus()
  const [typed, setTyped] = useState('')
  return (
    <RadixAlert.Root
      open={open}
      onOpenChange={(next) => {
        setTyped('')
        onOpenChange(next)
      }}
    >
      <RadixAlert.Portal>
        <RadixAlert.Overlay className={styles.scrim} />
        <RadixAlert.Content className={styles.dialog} onOpenAutoFocus={focus.remember} onCloseAutoFocus={focus.giveBack}>
          <header className={styles.head}>
            <RadixAlert.Title asChild>
              <h2>{title}</h2>
            </RadixAlert.Title>
          </header>
          <RadixAlert.Description asChild>
            <div className={cx('muted', styles.description)}>{description}</div>
          </RadixAlert.Description>
          {(children || typeToConfirm || error) && (
            <div className={styles.body}>
              {children}
              {typeToConfirm && (
                <Field label={t('dialog.typeToConfirm', { text: typeToConfirm })} error={error}>
                  {(control) => (
                    <Input {...control} value={typed} autoComplete="off" onChange={(event) => setTyped(event.target.value)} />
                  )}
                </Field>
              )}
              {!typeToConfirm && error && <p role="alert">{error}</p>}
            </div>
          )}
          <footer className={cx('row gap-2', styles.foot)}>
            <RadixAlert.Cancel asChild>
              <Button {...(onCancel && { onClick: onCancel })}>{cancel ?? t('action.cancel')}</Button>
            </RadixAlert.Cancel>
            <Button
              variant={danger ? 'danger' : 'primary'}
              busy={busy ?? false}
              disabled={
                isIncomplete ||
                (typeToConfirm !== undefined && removeIsolationCharacters(typed) !== removeIsolationCharacters(typeToConfirm))
              }
              onClick={onConfirm}
            >
              {confirm}
            </Button>
          </footer>
        </RadixAlert.Content>
      </RadixAlert.Portal>
    </RadixAlert.Root>
  )
}
