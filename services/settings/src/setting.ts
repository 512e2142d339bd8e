import type { Kind } from './kinds.ts'

export type Setting<Value> = Readonly<{
  name: string
  kind: Kind<Value>
  /** Purpose, for the table in the README. */
  about: string
  /** True if a missing value is a fault. */
  isRequired: boolean
  /** Default value as one would write it. */
  default?: string
  /** Other setting that this one depends on, such as `CAPSTAN_BLOBS=s3`. */
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

/** @param byDefault as one would write it */
export function withDefault<Value>(
  name: string,
  kind: Kind<Value>,
  byDefault: string | number,
  about: string,
  onlyWith?: string,
): Setting<Value> {
  return { name, kind, about, isRequired: false, default: String(byDefault), onlyWith }
}
