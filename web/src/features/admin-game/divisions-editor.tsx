import { Dices, Plus, X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { Input } from '../../components/ui/input.tsx'
import styles from './admin-game.module.css'
import { type DivisionRow, divisionFaultsOf } from './game-form.ts'

type DivisionsEditorProps = Readonly<{
  divisions: readonly DivisionRow[]
  /** Server's message about the divisions as a whole. */
  error?: ReactNode
  onChange: (divisions: readonly DivisionRow[]) => void
}>

/** Returns 16 letters and digits without similar characters. */
function randomCode() {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => letters[byte % letters.length]).join('')
}

/** Editor of ordered divisions with optional invitation codes. */
export function DivisionsEditor({ divisions, error, onChange }: DivisionsEditorProps) {
  const { t } = useTranslation('admin-game')
  const id = useId()
  const faults = divisionFaultsOf(divisions)
  const rows = useRef<HTMLOListElement>(null)
  const add = useRef<HTMLButtonElement>(null)
  const count = useRef(divisions.length)
  const done = useRef<'added' | 'removed'>(undefined)
  // A new row is focused. A removed row may have had the focus.
  useEffect(() => {
    if (count.current === divisions.length) return
    count.current = divisions.length
    const last = rows.current?.lastElementChild
    if (done.current === 'added') last?.querySelector('input')?.focus()
    if (done.current === 'removed' && !rows.current?.contains(document.activeElement))
      (last?.querySelector<HTMLElement>('button:last-of-type') ?? add.current)?.focus()
    done.current = undefined
  }, [divisions.length])
  const replace = (place: number, patch: Partial<DivisionRow>) =>
    onChange(divisions.map((division, index) => (index === place ? { ...division, ...patch } : division)))
  return (
    <fieldset className="stack gap-3" aria-describedby={error ? `${id}-hint ${id}-error` : `${id}-hint`}>
      <legend>{t('field.divisions')}</legend>
      {divisions.length > 0 && (
        <ol ref={rows} className={styles.divisionRows}>
          {divisions.map((division, index) => {
            const fault = faults[index]
            const number = index + 1
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a division is known by its place while its name is typed
              <li key={index}>
                <div className={styles.division}>
                  <Input
                    aria-label={t('division.name', { number })}
                    placeholder={t('division.namePlaceholder')}
                    aria-invalid={(fault && fault !== 'divisionCode') || (error && index === 0) ? true : undefined}
                    aria-describedby={fault && fault !== 'divisionCode' ? `${id}-fault-${index}` : undefined}
                    value={division.name}
                    onChange={(event) => replace(index, { name: event.target.value })}
                  />
                  <Input
                    aria-label={t('division.code', { number })}
                    placeholder={t('division.codePlaceholder')}
                    aria-invalid={fault === 'divisionCode' ? true : undefined}
                    aria-describedby={fault === 'divisionCode' ? `${id}-fault-${index}` : undefined}
                    className="mono"
                    autoComplete="off"
                    spellCheck={false}
                    value={division.code}
                    onChange={(event) => replace(index, { code: event.target.value })}
                  />
                  <IconButton label={t('division.generate')} onClick={() => replace(index, { code: randomCode() })}>
                    <Dices />
                  </IconButton>
                  <IconButton
                    label={t('division.remove', { name: division.name || number })}
                    onClick={() => {
                      done.current = 'removed'
                      onChange(divisions.filter((_, place) => place !== index))
                    }}
                  >
                    <X />
                  </IconButton>
                </div>
                <FieldError id={`${id}-fault-${index}`}>{fault && t(`fault.${fault}`)}</FieldError>
              </li>
            )
          })}
        </ol>
      )}
      <div className="row">
        <Button
          ref={add}
          size="small"
          onClick={() => {
            done.current = 'added'
            onChange([...divisions, { name: '', code: '' }])
          }}
        >
          <Plus aria-hidden />
          {t('division.add')}
        </Button>
      </div>
      <FieldError id={`${id}-error`}>{error}</FieldError>
      <p id={`${id}-hint`} className="small muted">
        {divisions.length === 0 ? t('division.none') : t('division.hint')}
      </p>
    </fieldset>
  )
}
