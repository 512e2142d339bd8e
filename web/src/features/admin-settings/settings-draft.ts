import { InstanceLimits, Limits } from '@capstan/contract/limits'
import type { PlatformSettings } from '@capstan/contract/settings'
import { isHexColor } from '../../lib/palette.ts'

/** Platform settings that the forms edit. Minutes are text that the user entered. */
export type SettingsShape = Readonly<{
  title: string
  slogan: string
  description: string
  footerInfo: string
  customTheme: string
  defaultFlagTemplate: string
  allowRegister: boolean
  activeOnRegister: boolean
  useCaptcha: boolean
  emailConfirmationRequired: boolean
  emailDomainList: string
  autoDestroyOnLimitReached: boolean
  defaultLifetime: string
  extensionDuration: string
  renewalWindow: string
}>

/** Allowed range of each setting, in minutes (contract ContainerPolicy). */
export const minuteRanges = {
  defaultLifetime: { min: InstanceLimits.minLifetimeMinutes, max: InstanceLimits.maxLifetimeMinutes },
  extensionDuration: { min: InstanceLimits.minLifetimeMinutes, max: InstanceLimits.maxLifetimeMinutes },
  renewalWindow: { min: InstanceLimits.minRenewalWindowMinutes, max: InstanceLimits.maxRenewalWindowMinutes },
} as const

/** Converts the server's response to form values. Absent members get the defaults of the contract. */
export function toSettingsForm({ globalConfig, accountPolicy, containerPolicy }: PlatformSettings): SettingsShape {
  return {
    title: globalConfig?.title ?? '',
    slogan: globalConfig?.slogan ?? '',
    description: globalConfig?.description ?? '',
    footerInfo: globalConfig?.footerInfo ?? '',
    customTheme: globalConfig?.customTheme ?? '',
    defaultFlagTemplate: globalConfig?.defaultFlagTemplate ?? '',
    allowRegister: accountPolicy?.allowRegister ?? true,
    activeOnRegister: accountPolicy?.activeOnRegister ?? true,
    useCaptcha: accountPolicy?.useCaptcha ?? false,
    emailConfirmationRequired: accountPolicy?.emailConfirmationRequired ?? false,
    emailDomainList: accountPolicy?.emailDomainList ?? '',
    autoDestroyOnLimitReached: containerPolicy?.autoDestroyOnLimitReached ?? false,
    defaultLifetime: String(containerPolicy?.defaultLifetime ?? Limits.defaultLifetimeMinutes),
    extensionDuration: String(containerPolicy?.extensionDuration ?? Limits.extensionDurationMinutes),
    renewalWindow: String(containerPolicy?.renewalWindow ?? Limits.renewalWindowMinutes),
  }
}

const sections = {
  globalConfig: ['title', 'slogan', 'description', 'footerInfo', 'customTheme', 'defaultFlagTemplate'],
  accountPolicy: ['allowRegister', 'activeOnRegister', 'useCaptcha', 'emailConfirmationRequired', 'emailDomainList'],
  containerPolicy: ['autoDestroyOnLimitReached', 'defaultLifetime', 'extensionDuration', 'renewalWindow'],
} as const

/**
 * Returns the request body. It contains only the changed sections. Each of these sections is complete, because the server resets
 * omitted members.
 * @param stored latest settings, from which members without a form field are copied
 */
export function toSettingsRequest(
  value: SettingsShape,
  changed: readonly (keyof SettingsShape)[],
  stored: PlatformSettings,
): PlatformSettings {
  const isTouched = (section: keyof typeof sections) => sections[section].some((field) => changed.includes(field))
  const { title, slogan, description, footerInfo, customTheme, defaultFlagTemplate, ...rest } = value
  const { defaultLifetime, extensionDuration, renewalWindow, autoDestroyOnLimitReached, ...account } = rest
  return {
    ...(isTouched('globalConfig') && {
      globalConfig: {
        title: title.trim(),
        slogan: slogan.trim(),
        description: description.trim(),
        footerInfo: footerInfo.trim(),
        customTheme: customTheme.trim(),
        defaultFlagTemplate: defaultFlagTemplate.trim(),
      },
    }),
    ...(isTouched('accountPolicy') && {
      accountPolicy: { ...account, emailDomainList: domainsOf(account.emailDomainList).join(',') },
    }),
    ...(isTouched('containerPolicy') && {
      containerPolicy: {
        ...stored.containerPolicy,
        autoDestroyOnLimitReached,
        defaultLifetime: Number(defaultLifetime),
        extensionDuration: Number(extensionDuration),
        renewalWindow: Number(renewalWindow),
      },
    }),
  }
}

function domainsOf(list: string): readonly string[] {
  return list
    .split(',')
    .map((domain) => domain.trim())
    .filter(Boolean)
}

/** Returns the list entries that are invalid as mail domains. */
export function listInvalidDomains(list: string): readonly string[] {
  return domainsOf(list).filter((domain) => !/^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$/u.test(domain))
}

function isMinutes(text: string, { min, max }: { min: number; max: number }) {
  return /^\d{1,5}$/.test(text.trim()) && Number(text) >= min && Number(text) <= max
}

export function findSettingsFaults(value: SettingsShape): ReadonlySet<keyof SettingsShape> {
  const faults = new Set<keyof SettingsShape>()
  if (value.title.trim() === '') faults.add('title')
  if (value.customTheme.trim() !== '' && !isHexColor(value.customTheme.trim())) faults.add('customTheme')
  if (listInvalidDomains(value.emailDomainList).length > 0) faults.add('emailDomainList')
  if ([...value.defaultFlagTemplate.trim()].length > Limits.maxFlagTemplateLength) faults.add('defaultFlagTemplate')
  for (const field of ['defaultLifetime', 'extensionDuration', 'renewalWindow'] as const)
    if (!isMinutes(value[field], minuteRanges[field])) faults.add(field)
  return faults
}

export function predictRegistrationOutcome(value: SettingsShape): 'closed' | 'active' | 'mail' | 'admin' {
  if (!value.allowRegister) return 'closed'
  if (value.activeOnRegister) return 'active'
  return value.emailConfirmationRequired ? 'mail' : 'admin'
}
