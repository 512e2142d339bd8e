import { Limits } from '@capstan/contract/limits'
import type { AccountPolicy, ContainerPolicy, GlobalSettings } from '@capstan/contract/settings'

/** All settings of the platform. Times are in minutes. */
export type Settings = Readonly<{
  accountPolicy: Required<AccountPolicy>
  globalConfig: Required<GlobalSettings>
  containerPolicy: Required<ContainerPolicy>
}>

/** Settings that apply until an admin changes them. */
export const defaultSettings: Settings = {
  accountPolicy: {
    allowRegister: true,
    activeOnRegister: true,
    useCaptcha: false,
    emailConfirmationRequired: false,
    emailDomainList: '',
  },
  globalConfig: {
    // Two-letter placeholder for the title of the platform, until an admin sets a title.
    title: 'CS',
    slogan: 'Hack for fun not for profit',
    description: null,
    footerInfo: null,
    customTheme: null,
    logoHash: null,
    faviconHash: null,
    defaultFlagTemplate: null,
  },
  containerPolicy: {
    autoDestroyOnLimitReached: false,
    maxExerciseContainerCountPerUser: 1,
    defaultLifetime: Limits.defaultLifetimeMinutes,
    extensionDuration: Limits.extensionDurationMinutes,
    renewalWindow: Limits.renewalWindowMinutes,
  },
}

function isColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text)
}

/**
 * Merges a change into the settings. Absent members and null strings change nothing, and `""` clears a value. A cleared title
 * returns to its default. Hashes of pictures in the change are ignored, because only the calls for the logo change them. An
 * invalid color clears the color. Rules: docs/contract/admin.md#settings.
 */
export function mergeGlobalSettings(before: Settings['globalConfig'], change: GlobalSettings): Settings['globalConfig'] {
  const text = (next: string | null | undefined, old: string | null): string | null =>
    next === null || next === undefined ? old : next === '' ? null : next
  const theme = text(change.customTheme, before.customTheme)
  return {
    ...before,
    title: change.title == null ? before.title : change.title.trim() || defaultSettings.globalConfig.title,
    slogan: change.slogan ?? before.slogan,
    description: text(change.description, before.description),
    footerInfo: text(change.footerInfo, before.footerInfo),
    customTheme: theme !== null && isColor(theme) ? theme.toLowerCase() : null,
    defaultFlagTemplate: text(change.defaultFlagTemplate, before.defaultFlagTemplate),
  }
}

export function mergeSettingsSection<Section extends object>(before: Section, change: Partial<Section>): Section {
  return {
    ...before,
    ...Object.fromEntries(
      Object.entries(change).filter(([name, value]) => Object.hasOwn(before, name) && value !== undefined && value !== null),
    ),
  }
}
