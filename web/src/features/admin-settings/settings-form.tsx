import { operations } from '@capstan/contract/operations'
import type { PlatformSettings } from '@capstan/contract/settings'
import { useTranslation } from 'react-i18next'
import { SaveBar } from '../../components/editing/save-bar.tsx'
import { useDraft } from '../../components/editing/use-draft.ts'
import { useAction } from '../../components/ui/form.ts'
import { refusalOf } from '../../components/ui/refusal.tsx'
import { toast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refresh, setCallData } from '../../lib/server-state.ts'
import { ColorSection } from './color-section.tsx'
import { LogoSection } from './logo-section.tsx'
import { MailSection } from './mail-section.tsx'
import { ProjectSection } from './project-section.tsx'
import { AccountsSection, ChallengesSection, InstancesSection, PlatformSection } from './sections.tsx'
import styles from './settings.module.css'
import { faultsOf, type SettingsShape, settingsFormOf, toSettings } from './settings-draft.ts'

const parts = ['platform', 'color', 'logo', 'accounts', 'mail', 'instances', 'challenges', 'project'] as const

export function SettingsForm({ settings }: { readonly settings: PlatformSettings }) {
  const { t } = useTranslation('admin-settings')
  const draft = useDraft('settings', settingsFormOf(settings))
  const faults = faultsOf(draft.value)
  const save = useAction(async () => {
    // Read the settings again first, so that the save does not overwrite a concurrent change.
    const latest = await call(operations.getSettings)
    await setCallData([operations.getSettings], latest)
    if (draft.conflictsWith(settingsFormOf(latest)).length > 0) return
    const sent = draft.changes
    await call(operations.updateSettings, {
      body: toSettings({ ...settingsFormOf(latest), ...sent }, draft.changedFields, latest),
    })
    await Promise.all([refresh(operations.getSettings), refresh(operations.getClientConfig), refresh(operations.getCaptchaInfo)])
    draft.settle(sent)
    toast({ tone: 'ok', title: t('saved') })
  })
  const refusal = refusalOf(save.error, Object.keys(draft.value) as (keyof SettingsShape)[])
  const set = (patch: Partial<SettingsShape>) => {
    if (refusal.field && refusal.field in patch) save.reset()
    draft.set(patch)
  }
  const section = { value: draft.value, faults, refusalOf: refusal.of, set }
  return (
    <div className={styles.layout}>
      <nav aria-label={t('nav')} className={styles.nav}>
        {parts.map((part) => (
          <a key={part} href={`#${part}`}>
            {t(`${part}.title`)}
          </a>
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
