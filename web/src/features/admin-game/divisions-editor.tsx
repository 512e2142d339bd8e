import { Dices, Plus, X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { Input } from '../../components/ui/input.tsx'
import styles from './admin-game.module.css'
import { type DivisionRow, divisionFaultsOf } from './game-form.ts'

interface DivisionsEditorProps {
  readonly divisions: readonly DivisionRow[]
  /** What the server says about them as a whole. */
  readonly error?: ReactNode
  readonly onChange: (divisions: readonly DivisionRow[]) => void
}

/** 16 letters and digits that are not mistaken for each other. */
const randomCode = () => {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => letters[byte % letters.length]).join('')
}

/** Divisions in their order, each with an invitation code of its own if it needs one. */
export function DivisionsEditor({ divisions, error, onChange }: DivisionsEditorProps) {
  const { t } = useTranslation('admin-game')
  const id = useId()
  const faults = divisionFaultsOf(divisions)
  const replace = (place: number, patch: Partial<DivisionRow>) =>
    onChange(divisions.map((division, index) => (index === place ? { ...division, ...patch } : division)))
  return (
    <fieldset className={styles.divisions} aria-describedby={error ? `${id}-hint ${id}-error` : `${id}-hint`}>
      <legend>{t('field.divisions')}</legend>
      {divisions.length > 0 && (
        <ol className={styles.divisionRows}>
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
                    value={division.name}
                    onChange={(event) => replace(index, { name: event.target.value })}
                  />
                  <Input
                    aria-label={t('division.code', { number })}
                    placeholder={t('division.codePlaceholder')}
                    aria-invalid={fault === 'divisionCode' ? true : undefined}
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
                    onClick={() => onChange(divisions.filter((_, place) => place !== index))}
                  >
                    <X />
                  </IconButton>
                </div>
                <FieldError>{fault && t(`fault.${fault}`)}</FieldError>
              </li>
            )
          })}
        </ol>
      )}
      <div className="row">
        <Button size="small" onClick={() => onChange([...divisions, { name: '', code: '' }])}>
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
