import { operations } from '@capstan/contract/operations'
import type { PlatformSettings } from '@capstan/contract/settings'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { SaveBar } from '../../components/editing/save-bar.tsx'
import { useDraft } from '../../components/editing/use-draft.ts'
import { cx } from '../../components/ui/cx.ts'
import { useAction } from '../../components/ui/form.ts'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refreshCall, setCallData } from '../../lib/server-state.ts'
import { ColorSection } from './color-section.tsx'
import { LogoSection } from './logo-section.tsx'
import { MailSection } from './mail-section.tsx'
import { ProjectSection } from './project-section.tsx'
import { AccountsSection, ChallengesSection, InstancesSection, PlatformSection } from './sections.tsx'
import styles from './settings.module.css'
import { findSettingsFaults, type SettingsShape, toSettingsForm, toSettingsRequest } from './settings-draft.ts'

const parts = ['platform', 'color', 'logo', 'accounts', 'mail', 'instances', 'challenges', 'project'] as const

export function SettingsForm({ settings }: { readonly settings: PlatformSettings }) {
  const { t } = useTranslation('admin-settings')
  const draft = useDraft('settings', toSettingsForm(settings))
  const faults = findSettingsFaults(draft.value)
  const save = useAction(async () => {
    // Read the settings again first, so that the save does not overwrite a concurrent change.
    const latest = await call(operations.getSettings)
    await setCallData([operations.getSettings], latest)
    if (draft.conflictsWith(toSettingsForm(latest)).length > 0) return
    const sent = draft.changes
    await call(operations.updateSettings, {
      body: toSettingsRequest({ ...toSettingsForm(latest), ...sent }, draft.changedFields, latest),
    })
    await Promise.all([
      refreshCall(operations.getSettings),
      refreshCall(operations.getClientConfig),
      refreshCall(operations.getCaptchaInfo),
    ])
    draft.settle(sent)
    showToast({ tone: 'ok', title: t('saved') })
  })
  const refusal = toFormRefusal(save.error, Object.keys(draft.value) as (keyof SettingsShape)[])
  const set = (patch: Partial<SettingsShape>) => {
    if (refusal.field && refusal.field in patch) save.reset()
    draft.set(patch)
  }
  const section = { value: draft.value, faults, refusalOf: refusal.of, set }
  return (
    <div className={styles.layout}>
      <nav aria-label={t('nav')} className={cx('stack gap-0', styles.nav)}>
        {parts.map((part) => (
          <Link key={part} to={{ hash: part }} className="option">
            {t(`${part}.title`)}
          </Link>
        ))}
      </nav>
      <div className="stack">
        <PlatformSection {...section} />
        <ColorSection {...section} />
        <LogoSection />
        <AccountsSection {...section} />
        <MailSection />
        <InstancesSection {...section} />
        <ChallengesSection {...section} />
        <ProjectSection />
        <SaveBar
          draft={draft}
          labelOf={(field) => t(`fields.${field}`)}
          busy={save.busy}
          error={save.error}
          refused={refusal.field}
          faulty={[...faults]}
          onSave={() => void save.run()}
          onDiscard={save.reset}
        />
      </div>
    </div>
  )
}
