import { Upload } from 'lucide-react'
import { type ReactNode, useEffect, useId, useState } from 'react'
import styles from './controls.module.css'
import { cx } from './cx.ts'
import { FieldError } from './field.tsx'

type FileDropProps = Readonly<{
  /** Id of the field. It must be unique on the page, because links can jump to it. */
  id?: string
  label: ReactNode
  hint?: ReactNode
  /** Accepted types, as in a file input: `image/*`, `.pdf`. */
  accept?: string
  multiple?: boolean
  disabled?: boolean
  error?: ReactNode
  onFiles: (files: readonly File[]) => void
  /**
   * Function that receives dropped files and folders. If it is undefined, `onFiles` receives dropped files, and a folder appears
   * as an unreadable file.
   */
  onEntries?: (entries: readonly FileSystemEntry[]) => void
}>

function keepPage(event: DragEvent) {
  return event.preventDefault()
}

/** Prevents the browser from opening a file that is dropped outside of the drop zone. */
export function useFileDropGuard() {
  useEffect(() => {
    addEventListener('dragover', keepPage)
    addEventListener('drop', keepPage)
    return () => {
      removeEventListener('dragover', keepPage)
      removeEventListener('drop', keepPage)
    }
  }, [])
}

/**
 * Returns the dropped files and folders. Call it in the event handler, because the browser clears the list of dropped items
 * afterwards.
 */
export function droppedEntriesOf({ items }: DataTransfer): FileSystemEntry[] {
  return [...items].flatMap((item) => item.webkitGetAsEntry() ?? [])
}

/** File field that supports drop, click and keyboard. The caller validates type and size. */
export function FileDrop({ id: ownId, label, hint, accept, multiple, disabled, error, onFiles, onEntries }: FileDropProps) {
  const anyId = useId()
  const id = ownId ?? anyId
  const [over, setOver] = useState(false)
  useFileDropGuard()
  const give = (list: FileList | null) => {
    const files = [...(list ?? [])]
    if (files.length > 0) onFiles(multiple ? files : files.slice(0, 1))
  }
  return (
    <div className="stack gap-2">
      <label
        htmlFor={id}
        className={cx('stack gap-1 centered muted', styles.drop)}
        data-over={over}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(!disabled)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          if (disabled) return
          const entries = onEntries ? droppedEntriesOf(event.dataTransfer) : []
          if (entries.length > 0) onEntries?.(entries)
          else give(event.dataTransfer.files)
        }}
      >
        <Upload aria-hidden />
        <span>{label}</span>
        {hint && <span className="muted small">{hint}</span>}
        <input
          id={id}
          type="file"
          className="visually-hidden"
          accept={accept}
          multiple={multiple}
          disabled={disabled}
          onChange={(event) => {
            give(event.target.files)
            event.target.value = ''
          }}
        />
      </label>
      <FieldError>{error}</FieldError>
    </div>
  )
}
