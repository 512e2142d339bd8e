import { X } from 'lucide-react'
import { type ComponentProps, type KeyboardEvent, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cx } from '../ui/cx.ts'
import { announceToScreenReaders } from '../ui/live-region.tsx'
import { mergeTags, type TagLimits } from './tags.ts'
import styles from './tags-input.module.css'

type TagsInputProps = Readonly<{
  control: Pick<ComponentProps<'input'>, 'id' | 'aria-describedby' | 'aria-invalid'>
  /** Accessible name of the list of tags. */
  label: string
  tags: readonly string[]
  limits: TagLimits
  suggestions: readonly string[]
  onTagsChange: (tags: string[]) => void
}>

/**
 * Input that shows tags as chips. It adds tags on Enter, on a comma, after a pasted list, and when the focus leaves the field.
 * Backspace in the empty field removes the last tag.
 */
export function TagsInput({ control, label, tags, limits, suggestions, onTagsChange }: TagsInputProps) {
  const { t } = useTranslation('editing')
  const [typed, setTyped] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const list = useId()
  const add = (text: string) => {
    const next = mergeTags(tags, text, limits)
    setTyped('')
    const added = next.filter((tag) => !tags.includes(tag))
    if (added.length === 0) return
    announceToScreenReaders(t('tags.added', { tag: added.join(', ') }))
    onTagsChange(next)
  }
  const remove = (tag: string) => {
    onTagsChange(tags.filter((other) => other !== tag))
    input.current?.focus()
  }
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') {
      event.preventDefault()
      add(typed)
    }
    if (event.key === 'Backspace' && typed === '' && tags.length > 0) onTagsChange(tags.slice(0, -1))
  }
  return (
    <div className={cx('row', styles.field)}>
      {tags.length > 0 && (
        <ul className={styles.tags} aria-label={label}>
          {tags.map((tag) => (
            <li key={tag} className="inline gap-0 small wrap-anywhere">
              {tag}
              <button type="button" aria-label={t('tags.remove', { tag })} onClick={() => remove(tag)}>
                <X aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        {...control}
        ref={input}
        list={list}
        value={typed}
        placeholder={t('tags.add')}
        autoComplete="off"
        readOnly={tags.length >= limits.most}
        onKeyDown={press}
        onBlur={() => add(typed)}
        onChange={({ target: { value }, nativeEvent }) => {
          // Suggestions and pasted lists are added immediately.
          const isChosen = !('inputType' in nativeEvent) || nativeEvent.inputType === 'insertReplacementText'
          if (value.includes(',') || (isChosen && suggestions.includes(value))) add(value)
          else setTyped(value)
        }}
      />
      <datalist id={list}>
        {suggestions.map((tag) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
    </div>
  )
}
