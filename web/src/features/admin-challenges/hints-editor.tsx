import { Plus, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { Textarea } from '../../components/ui/input.tsx'
import styles from './editor.module.css'

interface HintsEditorProps {
  readonly hints: readonly string[]
  readonly onChange: (hints: readonly string[]) => void
}

/** Hints in their order, Markdown each. */
export function HintsEditor({ hints, onChange }: HintsEditorProps) {
  const { t } = useTranslation('admin-challenges')
  return (
    <div className="stack gap-2">
      {hints.length === 0 && <p className="small muted">{t('hintList.none')}</p>}
      <ol className={styles.hints}>
        {hints.map((hint, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: hints are known by their place
          <li key={index}>
            <Textarea
              rows={1}
              aria-label={t('hintList.label', { number: index + 1 })}
              className={styles.hint}
              value={hint}
              onChange={(event) => onChange(hints.map((other, place) => (place === index ? event.target.value : other)))}
            />
            <IconButton
              label={t('hintList.remove', { number: index + 1 })}
              onClick={() => onChange(hints.filter((_, place) => place !== index))}
            >
              <X />
            </IconButton>
          </li>
        ))}
      </ol>
      <div className="row">
        <Button size="small" onClick={() => onChange([...hints, ''])}>
          <Plus aria-hidden />
          {t('hintList.add')}
        </Button>
        <span className="small muted">{t('hint.hints')}</span>
      </div>
    </div>
  )
}
