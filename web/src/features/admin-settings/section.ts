import type { ReactNode } from 'react'
import type { SettingsShape } from './settings-draft.ts'

/** Props of each section of the settings form. */
export type SectionProps = Readonly<{
  value: SettingsShape
  faults: ReadonlySet<keyof SettingsShape>
  /** Returns the server's message about a field. */
  refusalOf: (field: keyof SettingsShape) => ReactNode
  set: (patch: Partial<SettingsShape>) => void
}>
