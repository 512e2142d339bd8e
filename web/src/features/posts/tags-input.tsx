import { X } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Field } from '../../components/ui/field.tsx'
import { announce } from '../../components/ui/live-region.tsx'
import styles from './posts.module.css'
import { withTags } from './tags.ts'

interface TagsInputProps {
  readonly tags: readonly string[]
  readonly onTagsChange: (tags: readonly string[]) => void
  /** Offered while typing. */
  readonly known: readonly string[]
  readonly error?: ReactNode
}

/** Tags as chips in one field. Enter, comma or leaving adds, Backspace in the empty field removes the last. */
export function TagsInput({ tags, onTagsChange, known, error }: TagsInputProps) {
  const { t } = useTranslation('posts')
  const [typed, setTyped] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const listId = useId()
  const add = (text: string) => {
    const next = withTags(tags, text)
    setTyped('')
    if (next.length === tags.length) return
    announce(t('form.tagAdded', { tag: next.slice(tags.length).join(', ') }))
    onTagsChange(next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if ((event.key === 'Enter' || event.key === ',') && typed.trim() !== '') {
      event.preventDefault()
      add(typed)
    }
    if (event.key === 'Backspace' && typed === '' && tags.length > 0) onTagsChange(tags.slice(0, -1))
  }
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text')
    if (!text.includes(',')) return
    event.preventDefault()
    add(typed + text)
  }
  return (
    <Field label={t('form.tags')} hint={t('form.tagsHint')} error={error} optional>
      {(control) => (
        <span className={styles.tagsInput}>
          {tags.map((tag) => (
            <span key={tag} className={styles.chip}>
              {tag}
              <button
                type="button"
                aria-label={t('form.removeTag', { tag })}
                onClick={() => {
                  onTagsChange(tags.filter((each) => each !== tag))
                  input.current?.focus()
                }}
              >
                <X aria-hidden />
              </button>
            </span>
          ))}
          <input
            {...control}
            ref={input}
            list={listId}
            value={typed}
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            onBlur={() => add(typed)}
          />
          <datalist id={listId}>
            {known
              .filter((tag) => !tags.includes(tag))
              .map((tag) => (
                <option key={tag} value={tag} />
              ))}
          </datalist>
        </span>
      )}
    </Field>
  )
}
