import type { Kind } from './kinds.ts'

/** Variable of a process. */
export interface Setting<Value> {
  readonly name: string
  readonly kind: Kind<Value>
  /** Purpose, for the table in the README. */
  readonly about: string
  /** True if a missing value is a fault. */
  readonly isRequired: boolean
  /** Default value as one would write it. */
  readonly default?: string
  /** Other setting that this one depends on, such as `CAPSTAN_BLOBS=s3`. */
  readonly onlyWith?: string | undefined
}

/** Settings that are read together, by their names in the program. */
export type Settings = Readonly<Record<string, Setting<unknown>>>

/** All settings of a process. */
export type SettingGroups = Readonly<Record<string, Settings>>

export type Values<Group extends Settings> = {
  readonly [Key in keyof Group]: Group[Key] extends Setting<infer Value> ? Value : never
}

export const required = <Value>(name: string, kind: Kind<Value>, about: string, onlyWith?: string): Setting<Value> => ({
  name,
  kind,
  about,
  isRequired: true,
  onlyWith,
})

export const optional = <Value>(
  name: string,
  kind: Kind<Value>,
  about: string,
  onlyWith?: string,
): Setting<Value | undefined> => ({ name, kind, about, isRequired: false, onlyWith })

/** @param byDefault as one would write it */
export const withDefault = <Value>(
  name: string,
  kind: Kind<Value>,
  byDefault: string | number,
  about: string,
  onlyWith?: string,
): Setting<Value> => ({ name, kind, about, isRequired: false, default: String(byDefault), onlyWith })
