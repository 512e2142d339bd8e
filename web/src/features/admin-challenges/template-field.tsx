import { Limits } from '@capstan/contract/limits'
import { RefreshCw } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../components/ui/button.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Input } from '../../components/ui/input.tsx'
import { formatNumber } from '../../lib/format.ts'
import styles from './editor.module.css'
import { browserRandom, previewFlagTemplate } from './flag-template.ts'

type TemplateFieldProps = Readonly<{
  value: string
  /** Error message if the template is invalid. */
  error: ReactNode
  onValueChange: (value: string) => void
}>

/** Field for the flag template of a DynamicContainer challenge, with an example flag. */
export function FlagTemplateField({ value, error, onValueChange }: TemplateFieldProps) {
  const { t } = useTranslation('admin-challenges')
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round asks for another flag of the same template
  const preview = useMemo(() => previewFlagTemplate(value, browserRandom), [value, round])
  const { flag, bits, isUnique } = preview
  const figures = { bits: formatNumber(bits ?? 0, { maximumFractionDigits: 1 }), needed: Limits.minFlagEntropyBits }
  return (
    <div className="stack">
      <Field id="flagTemplate" label={t('field.template')} optional hint={t('hint.template')} error={error}>
        {(control) => (
          <Input
            {...control}
            className="mono"
            autoComplete="off"
            spellCheck={false}
            placeholder="flag{[GUID]}"
            value={value}
            onChange={(event) => onValueChange(event.target.value)}
          />
        )}
      </Field>
      <div className="stack gap-1 well">
        <div className="row row-between">
          <span className="small muted">{t('template.preview')}</span>
          <IconButton size="small" label={t('template.another')} onClick={() => setRound(round + 1)}>
            <RefreshCw />
          </IconButton>
        </div>
        <code className="wrap-anywhere">{flag}</code>
        <p className="small muted">
          {value.trim() === '' && t('template.random')} {isUnique && t('template.unique')}{' '}
          {bits !== undefined && t(isUnique ? 'template.bitsExtra' : 'template.bits', figures)}
        </p>
        {bits !== undefined && !isUnique && (
          <meter
            className={styles.meter}
            aria-hidden
            min={0}
            max={Limits.minFlagEntropyBits * 2}
            low={Limits.minFlagEntropyBits}
            value={bits}
          />
        )}
      </div>
    </div>
  )
}
