import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Field } from '../../components/ui/field.tsx'
import { Input } from '../../components/ui/input.tsx'
import { defaultBrand, isHexColor } from '../../lib/palette.ts'
import { PalettePreview } from './palette-preview.tsx'
import type { SectionProps } from './section.ts'
import styles from './settings.module.css'

export function ColorSection({ value, faults, refusalOf, set }: SectionProps) {
  const { t } = useTranslation('admin-settings')
  const typed = value.customTheme.trim()
  const color = isHexColor(typed) ? typed : defaultBrand
  return (
    <Card id="color" title={t('color.title')} className={styles.section}>
      <p className={cx('muted', styles.lead)}>{t('color.text')}</p>
      <div className="stack">
        <Field
          label={t('color.label')}
          hint={t('color.hint')}
          error={faults.has('customTheme') ? t('color.invalid') : refusalOf('customTheme')}
        >
          {(control) => (
            <span className={cx('line', styles.color)}>
              <input
                type="color"
                aria-label={t('color.pick')}
                value={color.toLowerCase()}
                className="swatch"
                onChange={(event) => set({ customTheme: event.target.value })}
              />
              <Input
                {...control}
                value={value.customTheme}
                placeholder={defaultBrand}
                spellCheck={false}
                autoComplete="off"
                className="mono"
                onChange={(event) => set({ customTheme: event.target.value })}
              />
              {typed !== '' && <Button onClick={() => set({ customTheme: '' })}>{t('color.builtIn')}</Button>}
            </span>
          )}
        </Field>
        <PalettePreview color={color} />
        <p className="small muted">{t('color.text2')}</p>
      </div>
    </Card>
  )
}
