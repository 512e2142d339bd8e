import { apiSettings } from '@capstan/api/server/process-settings'
import { gatewaySettings, liveCheckSettings } from '@capstan/gateway/settings'
import { doctorSettings } from '@capstan/operator/doctor/settings'
import { namesSettings } from '@capstan/operator/names/settings'
import { operatorSettings } from '@capstan/operator/settings'
import { pagesSettings } from '@capstan/pages/settings'
import type { Setting, SettingGroups } from '@capstan/settings/setting'

/** Map from the name of each process, as used in the README, to its settings. */
const processes = {
  api: apiSettings,
  gateway: gatewaySettings,
  web: pagesSettings,
  operator: operatorSettings,
  names: namesSettings,
  doctor: doctorSettings,
  'live check': liveCheckSettings,
} satisfies Record<string, SettingGroups>

export type ProcessName = keyof typeof processes

export const processNames = Object.keys(processes) as ProcessName[]

export function settingsOfProcess(name: ProcessName): readonly Setting<unknown>[] {
  return Object.values<SettingGroups[string]>(processes[name]).flatMap((group) => Object.values(group))
}
