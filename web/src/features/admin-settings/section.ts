import type { ReactNode } from 'react'
import type { SettingsShape } from './settings-draft.ts'

/** What each part of the settings form gets. */
export type SectionProps = Readonly<{
  value: SettingsShape
  faults: ReadonlySet<keyof SettingsShape>
  /** What the server says about a field. */
  refusalOf: (field: keyof SettingsShape) => ReactNode
  set: (patch: Partial<SettingsShape>) => void
}>
