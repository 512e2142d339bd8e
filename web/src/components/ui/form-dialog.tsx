import { type ComponentProps, type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { FieldError } from './field.tsx'
import { useLongForm } from './form.ts'
import { ErrorText } from './states.tsx'

type FormDialogProps = Omit<ComponentProps<typeof Dialog>, 'open' | 'onOpenChange' | 'footer'> &
  Readonly<{
    /** Label of the button that submits the form. */
    submitLabel: ReactNode
    onSubmit: () => unknown
    onClose: () => void
    busy: boolean
    danger?: boolean | undefined
    /** Buttons before Cancel. */
    furtherButtons?: ReactNode
    /** True if the form validates its fields itself, so that the browser does not validate them. */
    noValidate?: boolean
    /** Error to show below the fields. Omit it if a field shows the error. */
    error?: unknown
  }>

/** Dialog that consists of a form, with buttons to cancel and to submit. */
export function FormDialog({
  submitLabel,
  onSubmit: submit,
  onClose,
  busy,
  danger,
  furtherButtons,
  noValidate,
  error,
  children,
  ...dialog
}: FormDialogProps) {
  const { t } = useTranslation()
  const id = useId()
  const form = useLongForm(submit)
  return (
    <Dialog
      {...dialog}
      open
      onOpenChange={onClose}
      footer={
        <>
          {furtherButtons}
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" form={id} variant={danger ? 'danger' : 'primary'} busy={busy}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <form {...form} id={id} className="stack" noValidate={noValidate}>
        {children}
        {error !== undefined && (
          <FieldError>
            <ErrorText error={error} />
          </FieldError>
        )}
      </form>
    </Dialog>
  )
}
