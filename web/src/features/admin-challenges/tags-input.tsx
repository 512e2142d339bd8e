import { Limits } from '@capstan/contract/limits'
import { tidyTags } from '@capstan/contract/tags'
import { X } from 'lucide-react'
import { type ComponentProps, type KeyboardEvent, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Input } from '../../components/ui/input.tsx'
import styles from './labels-card.module.css'

interface TagsInputProps {
  /** What a field gives its control. */
  readonly control: Pick<ComponentProps<'input'>, 'id' | 'aria-describedby' | 'aria-invalid'>
  readonly tags: readonly string[]
  readonly suggestions: readonly string[]
  readonly onChange: (tags: string[]) => void
}

/** Enter and comma add what is typed, pasted lists too; Backspace in the empty box takes the last tag away. */
export function TagsInput({ control, tags, suggestions, onChange }: TagsInputProps) {
  const { t } = useTranslation('admin-challenges')
  const [typed, setTyped] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const list = useId()
  const isFull = tags.length >= Limits.challengeTagsMax

  const change = (next: readonly string[]) => {
    const tidy = tidyTags(next).slice(0, Limits.challengeTagsMax)
    if (tidy.join('\n') !== tags.join('\n')) onChange(tidy)
  }
  const add = (text: string) => {
    // What a list separates, and what no tag may hold.
    const words = text.split(/[,;\p{Cc}]/u).map((word) => [...word.trim()].slice(0, Limits.challengeTagMaxLength).join(''))
    change([...tags, ...words])
    setTyped('')
  }
  const remove = (tag: string) => {
    change(tags.filter((other) => other !== tag))
    input.current?.focus()
  }
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' || event.key === ',') {
      event.preventDefault()
      add(typed)
    }
    if (event.key === 'Backspace' && typed === '') change(tags.slice(0, -1))
  }
  return (
    <div className="stack gap-2">
      {tags.length > 0 && (
        <ul className={styles.tags} aria-label={t('labels.chosen')}>
          {tags.map((tag) => (
            <li key={tag}>
              <span>{tag}</span>
              <button type="button" aria-label={t('labels.remove', { tag })} onClick={() => remove(tag)}>
                <X aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Input
        {...control}
        ref={input}
        list={list}
        value={typed}
        placeholder={t('labels.add')}
        autoComplete="off"
        readOnly={isFull}
        onKeyDown={press}
        onBlur={() => typed.trim() !== '' && add(typed)}
        onChange={({ target: { value }, nativeEvent }) => {
          // Chosen from the list, and pasted lists, are added at once.
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
