import { Upload } from 'lucide-react'
import { type ReactNode, useEffect, useId, useState } from 'react'
import styles from './controls.module.css'
import { FieldError } from './field.tsx'

type FileDropProps = Readonly<{
  /** For links to it, unique on its page. */
  id?: string
  label: ReactNode
  hint?: ReactNode
  /** As the `accept` of a file input: `image/*`, `.pdf`. */
  accept?: string
  multiple?: boolean
  disabled?: boolean
  error?: ReactNode
  onFiles: (files: readonly File[]) => void
  /** Takes what is dropped in place of `onFiles`, where folders are welcome too: a browser gives a folder as an unreadable file. */
  onEntries?: (entries: readonly FileSystemEntry[]) => void
}>

function keepPage(event: DragEvent) {
  return event.preventDefault()
}

/** Browsers open a file that is dropped beside the place for it, in place of the page. */
export function useKeptPage() {
  useEffect(() => {
    addEventListener('dragover', keepPage)
    addEventListener('drop', keepPage)
    return () => {
      removeEventListener('dragover', keepPage)
      removeEventListener('drop', keepPage)
    }
  }, [])
}

/** The files and folders that are dropped; they are gone once the handler of the drop has ended. */
export function entriesOf({ items }: DataTransfer): FileSystemEntry[] {
  return [...items].flatMap((item) => item.webkitGetAsEntry() ?? [])
}

/** Files by drop, click or keyboard. Checks nothing: the caller knows type and size. */
export function FileDrop({ id: ownId, label, hint, accept, multiple, disabled, error, onFiles, onEntries }: FileDropProps) {
  const anyId = useId()
  const id = ownId ?? anyId
  const [over, setOver] = useState(false)
  useKeptPage()
  const give = (list: FileList | null) => {
    const files = [...(list ?? [])]
    if (files.length > 0) onFiles(multiple ? files : files.slice(0, 1))
  }
  return (
    <div className="stack gap-2">
      <label
        htmlFor={id}
        className={styles.drop}
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
          const entries = onEntries ? entriesOf(event.dataTransfer) : []
          if (entries.length > 0) onEntries?.(entries)
          else give(event.dataTransfer.files)
        }}
      >
        <Upload aria-hidden />
        <span>{label}</span>
        {hint && <span className={styles.hint}>{hint}</span>}
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
