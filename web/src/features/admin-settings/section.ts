import type { SettingsShape } from './settings-draft.ts'

/** What each part of the settings form gets. */
export interface SectionProps {
  readonly value: SettingsShape
  readonly faults: ReadonlySet<keyof SettingsShape>
  readonly set: (patch: Partial<SettingsShape>) => void
}
