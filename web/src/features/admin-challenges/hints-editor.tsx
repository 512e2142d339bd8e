import { InputLimits } from '@capstan/contract/limits'
import { Plus, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { NumberInput } from '../../components/editing/number-field.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { FieldError } from '../../components/ui/field.tsx'
import { Textarea } from '../../components/ui/input.tsx'
import { isValidHintPrice, type TypedHint } from './challenge-form.ts'
import styles from './editor.module.css'

type HintsEditorProps = Readonly<{
  hints: readonly TypedHint[]
  onChange: (hints: readonly TypedHint[]) => void
}>

export function HintsEditor({ hints, onChange }: HintsEditorProps) {
  const { t } = useTranslation('admin-challenges')
  const rows = useRef<HTMLOListElement>(null)
  const add = useRef<HTMLButtonElement>(null)
  const done = useRef<'added' | 'removed'>(undefined)
  // Focus a new hint. After a removal, keep the focus in the list, because the removed hint may have had the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the number of hints changes
  useEffect(() => {
    const last = rows.current?.lastElementChild
    if (done.current === 'added') last?.querySelector('textarea')?.focus()
    if (done.current === 'removed' && !rows.current?.contains(document.activeElement))
      (last?.querySelector('button') ?? add.current)?.focus()
    done.current = undefined
  }, [hints.length])
  const set = (index: number, change: Partial<TypedHint>) =>
    onChange(hints.map((other, place) => (place === index ? { ...other, ...change } : other)))
  return (
    <div className="stack gap-2">
      {hints.length === 0 && <p className="small muted">{t('hintList.none')}</p>}
      <ol ref={rows} className={cx('stack gap-2', styles.hints)}>
        {hints.map(({ text, price }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: hints have no identity except their position
          <li key={index}>
            <Textarea
              rows={1}
              aria-label={t('hintList.label', { number: index + 1 })}
              className={styles.hint}
              value={text}
              onChange={(event) => set(index, { text: event.target.value })}
            />
            <NumberInput
              aria-label={t('hintList.price', { number: index + 1 })}
              aria-invalid={!isValidHintPrice(price) || undefined}
              unit={t('unit.points')}
              min={0}
              max={InputLimits.maxScore}
              value={price}
              onValueChange={(typed) => set(index, { price: typed })}
            />
            <IconButton
              label={t('hintList.remove', { number: index + 1 })}
              onClick={() => {
                done.current = 'removed'
                onChange(hints.filter((_, place) => place !== index))
              }}
            >
              <X />
            </IconButton>
            {!isValidHintPrice(price) && <FieldError>{t('fault.price')}</FieldError>}
          </li>
        ))}
      </ol>
      <div className="row">
        <Button
          ref={add}
          size="small"
          onClick={() => {
            done.current = 'added'
            onChange([...hints, { text: '', price: '0' }])
          }}
        >
          <Plus aria-hidden />
          {t('hintList.add')}
        </Button>
        <span className="small muted">{t('hint.hints')}</span>
      </div>
    </div>
  )
}
