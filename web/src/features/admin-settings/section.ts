import type { ReactNode } from 'react'
import type { SettingsShape } from './settings-draft.ts'

export type SectionProps = Readonly<{
  value: SettingsShape
  faults: ReadonlySet<keyof SettingsShape>
  /** Returns the server's message about a field. */
  refusalOf: (field: keyof SettingsShape) => ReactNode
  set: (patch: Partial<SettingsShape>) => void
}>
