import { Check } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { docsPage, projectPages } from '../../lib/build.ts'
import { findLanguage, languages } from '../../lib/languages.ts'
import { defaultBrand, isHexColor } from '../../lib/palette.ts'
import { useLanguage } from '../../stores/language.ts'
import { chooseLanguage, usePreferenceDialogs } from '../../stores/preference-dialogs.ts'
import { type ThemeProvider, useTheme } from '../../stores/theme.ts'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { ConfirmationDialog, Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { SegmentedControl } from '../ui/tabs.tsx'
import { NoticeSettingsDialog } from './notice-dialog.tsx'
import styles from './preferences.module.css'

/** Dialogs for language, accent color and notifications. */
export function PreferenceDialogs() {
  const shown = usePreferenceDialogs((state) => state.shown)
  const close = usePreferenceDialogs((state) => state.close)
  return (
    <>
      <LanguageDialog open={shown === 'language'} onClose={close} />
      <TranslationWarning open={shown === 'translation'} onClose={close} />
      <ThemeDialog open={shown === 'theme'} onClose={close} />
      <NoticeSettingsDialog open={shown === 'notices'} onClose={close} />
    </>
  )
}

type OwnDialogProps = Readonly<{
  open: boolean
  onClose: () => void
}>

function LanguageDialog({ open, onClose }: OwnDialogProps) {
  const { t } = useTranslation()
  const code = useLanguage((state) => state.code)
  return (
    <Dialog open={open} onOpenChange={onClose} title={t('language.label')}>
      <ul className={cx('tiles gap-1', styles.languages)}>
        {languages.map((language) => (
          <li key={language.code}>
            <button
              type="button"
              lang={language.code}
              aria-pressed={language.code === code}
              className="line option"
              onClick={() => chooseLanguage(language.code)}
            >
              <span>{language.label}</span>
              {'mark' in language && <span className="tiny faint">{t(`language.${language.mark}`)}</span>}
              {language.code === code && <Check aria-hidden className="end" />}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** Warning about the quality of a translation. The warning is in English, because visitors may not trust the translation. */
function TranslationWarning({ open, onClose }: OwnDialogProps) {
  const { t } = useTranslation()
  const code = useLanguage((state) => state.code)
  const choose = useLanguage((state) => state.choose)
  const kind = findLanguage(code).mark === 'machine' ? 'machine' : 'inProgress'
  return (
    <ConfirmationDialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={t(`language.${kind}Title`)}
      description={
        <div className="stack gap-2" lang="en-US">
          <p>{t(`language.${kind}Text`)}</p>
          <p>
            {t('language.help')}{' '}
            {projectPages ? (
              <>
                <a href={projectPages.source} target="_blank" rel="noopener noreferrer">
                  {t('language.source')}
                </a>
                ,{' '}
                <a href={projectPages.translation} target="_blank" rel="noopener noreferrer">
                  {t('language.progress')}
                </a>
              </>
            ) : (
              <a href={docsPage} target="_blank" rel="noopener noreferrer">
                {t('language.docs')}
              </a>
            )}
          </p>
        </div>
      }
      confirm={t('language.confirm')}
      cancel={t('language.switchToEnglish')}
      onConfirm={onClose}
      onCancel={() => choose('en-US')}
    />
  )
}

function ThemeDialog({ open, onClose }: OwnDialogProps) {
  const { t } = useTranslation()
  const { provider, color, chooseManaged, chooseDefault, chooseCustom } = useTheme()
  const [typed, setTyped] = useState<string>(color ?? defaultBrand)
  const choose = (next: ThemeProvider) => {
    if (next === 'Managed') chooseManaged()
    else if (next === 'Default') chooseDefault()
    else chooseCustom(isHexColor(typed) ? typed : defaultBrand)
  }
  const change = (value: string) => {
    setTyped(value)
    chooseCustom(value)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title={t('theme.label')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('action.close')}
        </Button>
      }
    >
      <div className="stack">
        <SegmentedControl<ThemeProvider>
          label={t('theme.label')}
          value={provider}
          onValueChange={choose}
          options={[
            { value: 'Managed', label: t('theme.Managed') },
            { value: 'Default', label: t('theme.Default') },
            { value: 'Custom', label: t('theme.Custom') },
          ]}
        />
        {provider === 'Custom' && (
          <Field label={t('theme.color')} error={isHexColor(typed) ? undefined : t('theme.invalid')}>
            {(control) => (
              <div className="line">
                <input
                  type="color"
                  aria-label={t('theme.color')}
                  value={isHexColor(typed) ? typed : defaultBrand}
                  onChange={(event) => change(event.target.value)}
                />
                <Input
                  {...control}
                  className="mono"
                  value={typed}
                  maxLength={'#rrggbb'.length}
                  onChange={(event) => change(event.target.value)}
                />
              </div>
            )}
          </Field>
        )}
        <div className={styles.swatches} aria-hidden>
          {Array.from({ length: 12 }, (_, step) => `var(--brand-${step + 1})`).map((step) => (
            <span key={step} style={{ background: step }} />
          ))}
        </div>
      </div>
    </Dialog>
  )
}
