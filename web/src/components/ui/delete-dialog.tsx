import { ConfirmationDialog } from './dialog.tsx'
import { useAction } from './form.ts'
import { ErrorText } from './states.tsx'

type DeleteDialogProps = Readonly<{
  /** Text that the user must type before the button is enabled. */
  name?: string
  title: string
  description: string
  confirm: string
  onDelete: () => Promise<unknown>
  onClose: () => void
}>

/** Asks for confirmation before a permanent deletion. If the deletion fails, the dialog stays open and shows the reason. */
export function DeleteDialog({ name, title, description, confirm, onDelete, onClose }: DeleteDialogProps) {
  const remove = useAction(onDelete)
  return (
    <ConfirmationDialog
      open
      onOpenChange={onClose}
      title={title}
      description={description}
      confirm={confirm}
      {...(name !== undefined && { typeToConfirm: name })}
      danger
      busy={remove.busy}
      error={remove.error === undefined ? undefined : <ErrorText error={remove.error} />}
      onConfirm={() => void remove.run()}
    />
  )
}
