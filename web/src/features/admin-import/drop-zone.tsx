import { Upload } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { cx } from '../../components/ui/cx.ts'
import { droppedEntriesOf, useFileDropGuard } from '../../components/ui/file-drop.tsx'
import { collectDroppedFiles } from './collect-files.ts'
import { useDropped } from './dropped.ts'
import styles from './import.module.css'

type DropZoneProps = Readonly<{
  hint: ReactNode
  /** Function that is called after `useDropped` has stored the dropped files. */
  onDropped: () => void
  children: ReactNode
}>

export function ImportDropZone({ hint, onDropped, children }: DropZoneProps) {
  const [over, setOver] = useState(false)
  useFileDropGuard()
  const put = useDropped((state) => state.put)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button for the import does the same
    <div
      className={styles.zone}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        const entries = droppedEntriesOf(event.dataTransfer)
        if (entries.length === 0) return
        put(collectDroppedFiles(entries))
        onDropped()
      }}
    >
      {children}
      {over && (
        <div className={cx('stack gap-2 centered', styles.over)} aria-hidden>
          <Upload />
          <p>{hint}</p>
        </div>
      )}
    </div>
  )
}
