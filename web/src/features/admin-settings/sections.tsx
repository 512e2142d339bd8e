import { InputLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { MarkdownField } from '../../components/editing/markdown-field.tsx'
import { NumberField } from '../../components/editing/number-field.tsx'
import { Alert } from '../../components/ui/badge.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Field, Switch } from '../../components/ui/field.tsx'
import { Input, Textarea } from '../../components/ui/input.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useCall } from '../../lib/server-state.ts'
import type { SectionProps } from './section.ts'
import styles from './settings.module.css'
import { listInvalidDomains, minuteRanges, predictRegistrationOutcome } from './settings-draft.ts'

export function PlatformSection({ value, faults, refusalOf, set }: SectionProps) {
  const { t } = useTranslation('admin-settings')
  return (
    <Card id="platform" title={t('platform.title')} className={styles.section}>
      <p className={cx('muted', styles.lead)}>{t('platform.text')}</p>
      <div className="stack">
        <Field
          label={t('platform.name')}
          hint={t('platform.nameHint')}
          error={faults.has('title') ? t('platform.nameMissing') : refusalOf('title')}
        >
          {(control) => (
            <Input
              {...control}
              value={value.title}
              maxLength={InputLimits.maxTitleLength}
              onChange={(event) => set({ title: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('platform.slogan')} hint={t('platform.sloganHint')} error={refusalOf('slogan')} optional>
          {(control) => <Input {...control} value={value.slogan} onChange={(event) => set({ slogan: event.target.value })} />}
        </Field>
        <Field label={t('platform.description')} hint={t('platform.descriptionHint')} error={refusalOf('description')} optional>
          {(control) => (
            <Textarea
              {...control}
              rows={2}
              value={value.description}
              onChange={(event) => set({ description: event.target.value })}
            />
          )}
        </Field>
        <MarkdownField
          label={t('platform.footer')}
          hint={t('platform.footerHint')}
          rows={4}
          value={value.footerInfo}
          error={refusalOf('footerInfo')}
          onValueChange={(footerInfo) => set({ footerInfo })}
        />
      </div>
    </Card>
  )
}

export function AccountsSection({ value, faults, refusalOf, set }: SectionProps) {
  const { t } = useTranslation('admin-settings')
  const { data: captcha } = useCall(operations.getCaptchaInfo)
  const isCaptchaKnown = value.useCaptcha && captcha !== undefined
  const toggle = (field: 'allowRegister' | 'activeOnRegister' | 'emailConfirmationRequired') => (
    <Switch
      label={t(`accounts.${field}`)}
      hint={field !== 'emailConfirmationRequired' && value[field] ? t(`accounts.${field}HintOn`) : t(`accounts.${field}Hint`)}
      checked={value[field]}
      onCheckedChange={(checked) => set({ [field]: checked })}
    />
  )
  return (
    <Card id="accounts" title={t('accounts.title')} className={styles.section}>
      <p className={cx('muted', styles.lead)}>{t('accounts.text')}</p>
      <div className="stack">
        <Alert>{t(`accounts.outcome.${predictRegistrationOutcome(value)}`)}</Alert>
        {toggle('allowRegister')}
        {toggle('activeOnRegister')}
        {toggle('emailConfirmationRequired')}
        <Switch
          label={t('accounts.useCaptcha')}
          hint={
            <>
              {t('accounts.useCaptchaHint')} {t('accounts.captchaHashPow')}
              {isCaptchaKnown && captcha.type !== 'None' && <> {t('accounts.captchaOn', { name: captcha.type })}</>}
            </>
          }
          checked={value.useCaptcha}
          onCheckedChange={(useCaptcha) => set({ useCaptcha })}
        />
        <Field
          label={t('accounts.emailDomainList')}
          hint={t('accounts.emailDomainListHint')}
          optional
          error={
            faults.has('emailDomainList')
              ? t('accounts.domainInvalid', { names: listInvalidDomains(value.emailDomainList).join(', ') })
              : refusalOf('emailDomainList')
          }
        >
          {(control) => (
            <Input
              {...control}
              value={value.emailDomainList}
              maxLength={InputLimits.maxEmailDomainsLength}
              spellCheck={false}
              onChange={(event) => set({ emailDomainList: event.target.value })}
            />
          )}
        </Field>
      </div>
    </Card>
  )
}

const minuteFields = ['defaultLifetime', 'extensionDuration', 'renewalWindow'] as const

export function InstancesSection({ value, faults, refusalOf, set }: SectionProps) {
  const { t } = useTranslation('admin-settings')
  const areFit = minuteFields.every((field) => !faults.has(field))
  const { data: offer } = useCall(ownOperations.getReachOffer, undefined, { refreshInterval: 0 })
  const isWindowLong = areFit && Number(value.renewalWindow) > Number(value.defaultLifetime)
  return (
    <Card id="instances" title={t('instances.title')} className={styles.section}>
      <p className={cx('muted', styles.lead)}>{t('instances.text')}</p>
      <div className="stack">
        {offer?.sharesSite && (
          <Alert tone="warn" title={t('instances.sharedSite')}>
            {t('instances.sharedSiteText')}
          </Alert>
        )}
        <div className="pair">
          {minuteFields.map((field) => (
            <NumberField
              key={field}
              label={t(`instances.${field}`)}
              hint={t(`instances.${field}Hint`)}
              unit={t('instances.minutes')}
              {...minuteRanges[field]}
              value={value[field]}
              error={
                faults.has(field)
                  ? t('instances.range', {
                      min: formatNumber(minuteRanges[field].min),
                      max: formatNumber(minuteRanges[field].max),
                    })
                  : refusalOf(field)
              }
              onValueChange={(text) => set({ [field]: text })}
            />
          ))}
        </div>
        {areFit && (
          <LifeSketch lifetime={value.defaultLifetime} window={value.renewalWindow} extension={value.extensionDuration} />
        )}
        {isWindowLong && <Alert tone="warn">{t('instances.windowTooLong')}</Alert>}
        <Switch
          label={t('instances.autoDestroy')}
          hint={t(value.autoDestroyOnLimitReached ? 'instances.autoDestroyHintOn' : 'instances.autoDestroyHint')}
          checked={value.autoDestroyOnLimitReached}
          onCheckedChange={(autoDestroyOnLimitReached) => set({ autoDestroyOnLimitReached })}
        />
      </div>
    </Card>
  )
}

type LifeSketchProps = Readonly<{
  /** Lifetime of an instance, in minutes. */
  lifetime: string
  window: string
  extension: string
}>

/** Bar whose parts show the lifetime, the extension window and the extension of an instance. */
function LifeSketch({ lifetime, window, extension }: LifeSketchProps) {
  const { t } = useTranslation('admin-settings')
  const total = Number(lifetime) + Number(extension)
  const share = (minutes: number) => `${(100 * minutes) / total}%`
  const renewable = Math.min(Number(window), Number(lifetime))
  return (
    <figure className="stack gap-2">
      <span className={styles.lifeBar} aria-hidden>
        <span data-part="life" style={{ inlineSize: share(Number(lifetime) - renewable) }} />
        <span data-part="window" style={{ inlineSize: share(renewable) }} />
        <span data-part="extension" style={{ inlineSize: share(Number(extension)) }} />
      </span>
      <figcaption className="small muted">
        {t('instances.sketch', {
          lifetime: formatNumber(Number(lifetime)),
          window: formatNumber(renewable),
          extension: formatNumber(Number(extension)),
        })}
      </figcaption>
    </figure>
  )
}

export function ChallengesSection({ value, faults, refusalOf, set }: SectionProps) {
  const { t } = useTranslation(['admin-settings', 'common'])
  return (
    <Card id="challenges" title={t('admin-settings:challenges.title')} className={styles.section}>
      <p className={cx('muted', styles.lead)}>{t('admin-settings:challenges.text')}</p>
      <Field
        label={t('admin-settings:challenges.template')}
        hint={t('admin-settings:challenges.templateHint')}
        optional
        error={faults.has('defaultFlagTemplate') ? t('common:field.checkInput') : refusalOf('defaultFlagTemplate')}
      >
        {(control) => (
          <Input
            {...control}
            value={value.defaultFlagTemplate}
            placeholder="flag{[GUID]}"
            spellCheck={false}
            className="mono"
            onChange={(event) => set({ defaultFlagTemplate: event.target.value })}
          />
        )}
      </Field>
    </Card>
  )
}
