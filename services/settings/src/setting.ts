import type { Kind } from './kinds.ts'

export type Setting<Value> = Readonly<{
  name: string
  kind: Kind<Value>
  /** Purpose of the setting, for the table in the README. */
  about: string
  /** True if the setting is required. */
  isRequired: boolean
  /** Default value, as an operator writes it. */
  default?: string
  /** Condition under which this setting has an effect: the name and value of another setting, such as `CAPSTAN_BLOBS=s3`. */
  onlyWith?: string | undefined
}>

export type Settings = Readonly<Record<string, Setting<unknown>>>

export type SettingGroups = Readonly<Record<string, Settings>>

export type Values<Group extends Settings> = {
  readonly [Key in keyof Group]: Group[Key] extends Setting<infer Value> ? Value : never
}

export function required<Value>(name: string, kind: Kind<Value>, about: string, onlyWith?: string): Setting<Value> {
  return {
    name,
    kind,
    about,
    isRequired: true,
    onlyWith,
  }
}

export function optional<Value>(name: string, kind: Kind<Value>, about: string, onlyWith?: string): Setting<Value | undefined> {
  return { name, kind, about, isRequired: false, onlyWith }
}

/**
 * Describes an optional setting.
 * @param byDefault default value, as an operator writes it
 */
export function withDefault<Value>(
  name: string,
  kind: Kind<Value>,
  byDefault: string | number,
  about: string,
  onlyWith?: string,
): Setting<Value> {
  return { name, kind, about, isRequired: false, default: String(byDefault), onlyWith }
}
