import { pathOfPicture } from '@capstan/contract/asset-address'
import type { ClientConfig } from '@capstan/contract/settings'
import type { Settings } from './defaults.ts'

/** Presents the public part of the settings. Times are in minutes. */
export function presentClientConfig({ globalConfig, containerPolicy }: Settings): ClientConfig {
  return {
    title: globalConfig.title,
    slogan: globalConfig.slogan,
    footerInfo: globalConfig.footerInfo,
    customTheme: globalConfig.customTheme,
    logoUrl: pathOfPicture(globalConfig.logoHash, 'logo'),
    defaultLifetime: containerPolicy.defaultLifetime,
    extensionDuration: containerPolicy.extensionDuration,
    renewalWindow: containerPolicy.renewalWindow,
  }
}
