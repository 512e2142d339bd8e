import type { ReactNode } from 'react'
import type { SettingsShape } from './settings-draft.ts'

/** What each part of the settings form gets. */
export interface SectionProps {
  readonly value: SettingsShape
  readonly faults: ReadonlySet<keyof SettingsShape>
  /** What the server says about a field. */
  readonly refusalOf: (field: keyof SettingsShape) => ReactNode
  readonly set: (patch: Partial<SettingsShape>) => void
}
