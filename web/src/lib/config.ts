import { Limits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import type { ClientConfig } from '@capstan/contract/settings'
import { useEffect } from 'react'
import { useCall } from './server-state.ts'

/** Config that the page uses until the server has responded. */
const defaultConfig: ClientConfig = {
  title: 'CS',
  slogan: 'Hack for fun not for profit',
  footerInfo: null,
  customTheme: null,
  logoUrl: null,
  defaultLifetime: Limits.defaultLifetimeMinutes,
  extensionDuration: Limits.extensionDurationMinutes,
  renewalWindow: Limits.renewalWindowMinutes,
}

/** Returns the public settings of the platform. */
export function useConfig(): ClientConfig {
  return useCall(operations.getClientConfig).data ?? defaultConfig
}

/** Sets the title of the browser tab to `Page · Platform`. */
export function usePageTitle(title: string | undefined): void {
  const platform = useConfig().title
  useEffect(() => {
    document.title = title ? `${title} · ${platform}` : platform
  }, [title, platform])
}
