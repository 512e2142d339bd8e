import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cx } from '../ui/cx.ts'
import { Field } from '../ui/field.tsx'
import { Markdown } from '../ui/markdown.tsx'
import { SegmentedControl } from '../ui/tabs.tsx'
import styles from './editing.module.css'
import { MarkdownArea } from './markdown-area.tsx'

type MarkdownFieldProps = Readonly<{
  label: ReactNode
  value: string
  onValueChange: (value: string) => void
  hint?: ReactNode
  error?: ReactNode
  rows?: number
  optional?: boolean
}>

export function MarkdownField({ label, value, onValueChange, hint, error, rows = 8, optional }: MarkdownFieldProps) {
  const { t } = useTranslation('editing')
  const [view, setView] = useState<'write' | 'preview'>('write')
  return (
    <div className={styles.markdown}>
      <Field label={label} hint={hint ?? t('markdownHint')} error={error} {...(optional && { optional })}>
        {(control) =>
          view === 'write' ? (
            <MarkdownArea
              {...control}
              rows={rows}
              value={value}
              className={cx('code', styles.source)}
              onValueChange={onValueChange}
            />
          ) : (
            <div id={control.id} className={cx('well', styles.preview)}>
              {value.trim() === '' ? <p className="muted">{t('previewEmpty')}</p> : <Markdown source={value} compact />}
            </div>
          )
        }
      </Field>
      <div className={styles.views}>
        <SegmentedControl
          label={t('view')}
          value={view}
          onValueChange={setView}
          options={[
            { value: 'write', label: t('write') },
            { value: 'preview', label: t('preview') },
          ]}
        />
      </div>
    </div>
  )
}
