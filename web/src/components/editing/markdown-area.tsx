import { pathOfStoredFile } from '@capstan/contract/asset-address'
import type { FileRef } from '@capstan/contract/files'
import { operations } from '@capstan/contract/operations'
import { type ComponentProps, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { upload } from '../../lib/http.ts'
import { Textarea } from '../ui/input.tsx'
import { ErrorText } from '../ui/states.tsx'
import { showToast } from '../ui/toast.ts'

type MarkdownAreaProps = Omit<ComponentProps<'textarea'>, 'value' | 'onChange' | 'onPaste' | 'onDrop' | 'onDragOver'> &
  Readonly<{
    value: string
    onValueChange: (value: string) => void
  }>

/** Returns the Markdown for a stored file: an image, or a link for other file types. */
function markdownOf({ hash, name }: FileRef, { type }: File): string {
  const address = pathOfStoredFile(hash, name).replaceAll(/[()]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)
  return `${type.startsWith('image/') ? '!' : ''}[${name.replaceAll(/[[\]\\]/g, '\\$&')}](${address})`
}

/** Markdown text area. It uploads pasted or dropped files, and inserts them at the cursor when the upload is complete. */
export function MarkdownArea({ value, onValueChange, ...rest }: MarkdownAreaProps) {
  const { t } = useTranslation('editing')
  const [sending, setSending] = useState(0)
  const latest = useRef(value)
  latest.current = value
  const area = useRef<HTMLTextAreaElement>(null)

  const insert = (text: string) => {
    const target = area.current
    // Use the deprecated `execCommand`, because the browser can undo only text that it has inserted itself.
    if (target && document.activeElement === target && document.execCommand?.('insertText', false, text)) return
    const [start, end] = target ? [target.selectionStart, target.selectionEnd] : [latest.current.length, latest.current.length]
    onValueChange(latest.current.slice(0, start) + text + latest.current.slice(end))
  }

  const store = async (files: readonly File[]) => {
    setSending((count) => count + files.length)
    try {
      const stored = await upload(operations.uploadFiles, { files })
      insert(stored.flatMap((ref, index) => (files[index] ? [markdownOf(ref, files[index])] : [])).join('\n'))
    } catch (error) {
      showToast({ tone: 'bad', title: t('fileFailed'), text: <ErrorText error={error} /> })
    } finally {
      setSending((count) => count - files.length)
    }
  }

  /** Handles a paste or drop with files. Text has priority, because a copied spreadsheet table also contains an image. */
  const take = (event: { preventDefault: () => void }, { types, files }: DataTransfer) => {
    if (files.length === 0 || types.includes('text/plain')) return
    event.preventDefault()
    void store([...files])
  }

  return (
    <>
      <Textarea
        {...rest}
        ref={area}
        value={value}
        onChange={(event) => onValueChange(event.target.value)}
        onPaste={(event) => take(event, event.clipboardData)}
        onDragOver={(event) => event.dataTransfer.types.includes('Files') && event.preventDefault()}
        onDrop={(event) => take(event, event.dataTransfer)}
      />
      {sending > 0 && (
        <span className="small muted" role="status">
          {t('filesSending')}
        </span>
      )}
    </>
  )
}
