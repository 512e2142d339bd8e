import type { Kind } from './kinds.ts'

/** One variable of a process. */
export interface Setting<Value> {
  readonly name: string
  readonly kind: Kind<Value>
  /** What it is for, for the table of the README. */
  readonly about: string
  /** A missing one is a fault. */
  readonly isRequired: boolean
  /** What holds without it, as one would write it. */
  readonly default?: string
  /** Where it counts only with another one: that one, `CAPSTAN_BLOBS=s3`. */
  readonly onlyWith?: string | undefined
}

/** Settings that are read together, by the names that they have in the program. */
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
