import { isRecord } from '../record.ts'
import type { Finding, Outcome, Repairable } from '../report.ts'
import type { FieldPath, Source } from '../yaml.ts'

/** Formats a path as in findings: `containers.main.ports[0]`. */
export function formatFieldPath(path: FieldPath): string {
  return path.map((key, index) => (typeof key === 'number' ? `[${key}]` : index === 0 ? key : `.${key}`)).join('')
}

/** Fields of one mapping. `rest` reports all fields that were not read, so that no field is dropped silently. */
export class Fields {
  readonly #source: Source
  readonly #path: FieldPath
  readonly #values: Readonly<Record<string, unknown>>
  readonly #findings: Finding[]
  readonly #unread: Set<string>

  constructor(source: Source, findings: Finding[], path: FieldPath = [], value: unknown = source.value) {
    this.#source = source
    this.#findings = findings
    this.#path = path
    this.#values = isRecord(value) ? value : {}
    // Fields with the value null count as absent.
    this.#unread = new Set(Object.keys(this.#values).filter((key) => this.#values[key] !== null))
    // Templates often contain an empty list element, whose value is null. Refuse the challenge only if the whole file is no
    // mapping. If a field is no mapping, treat the field as absent.
    if (!isRecord(value) && value !== null) this.#note([], path.length === 0 ? 'refused' : 'left-out', 'This must be a mapping.')
  }

  get keys(): readonly string[] {
    return Object.keys(this.#values)
  }

  #note(path: FieldPath, outcome: Outcome, why: string, advice?: string, repairable?: Repairable): void {
    const whole = [...this.#path, ...path]
    this.#findings.push({
      file: this.#source.file,
      line: this.#source.lineOf(whole),
      field: formatFieldPath(this.#source.pathOf?.(whole) ?? whole),
      outcome,
      why,
      ...(advice === undefined ? {} : { advice }),
      ...repairable,
    })
  }

  /** Reports a field that was changed or dropped by the import. */
  note(key: string, outcome: Outcome, why: string, advice?: string, repairable?: Repairable): void {
    this.#unread.delete(key)
    this.#note([key], outcome, why, advice, repairable)
  }

  /** Reports a list element that was changed or dropped by the import. */
  noteElement(key: string, index: number | string, outcome: Outcome, why: string, advice?: string): void {
    this.#note([key, index], outcome, why, advice)
  }

  noteAll(outcome: Outcome, why: string, advice?: string): void {
    this.#unread.clear()
    this.#note([], outcome, why, advice)
  }

  take(key: string): unknown {
    this.#unread.delete(key)
    return this.#values[key] ?? undefined
  }

  /** Returns a scalar as the text that the file contains. @returns undefined for lists and mappings */
  #scalarText(path: FieldPath, value: unknown): string | undefined {
    if (typeof value === 'string') return value
    if (!['number', 'bigint', 'boolean'].includes(typeof value) && !(value instanceof Date)) return undefined
    const written = this.#source.textOf?.([...this.#path, ...path])
    return written ?? (value instanceof Date ? value.toISOString() : String(value))
  }

  /** Returns a text. For a number, boolean or time, returns the text that the file contains, such as `0123`. */
  text(key: string): string | undefined {
    const value = this.take(key)
    const text = this.#scalarText([key], value)
    if (text === undefined && value !== undefined) this.note(key, 'left-out', 'This must be text.')
    return text
  }

  /** Returns an element of a list as text. @returns undefined if the element is a list or a mapping */
  elementText(key: string, index: number, value: unknown): string | undefined {
    return this.#scalarText(Array.isArray(this.#values[key]) ? [key, index] : [key], value)
  }

  shortText(key: string, maxLength: number): string | undefined {
    const text = this.text(key)
    return text === undefined ? undefined : this.shorten(text, maxLength, key)
  }

  /** Returns at most `maxLength` characters of a text from `path`, and reports a longer text. */
  shorten(text: string, maxLength: number, ...path: FieldPath): string {
    const characters = [...text]
    if (characters.length <= maxLength) return text
    this.#note(path, 'converted', `It is cut to ${maxLength} characters.`)
    return characters.slice(0, maxLength).join('')
  }

  /**
   * Returns the first `max` elements of the list in the field `key`. Reports the field if the list is longer.
   * @param what the name of the elements in the report. Default: no name
   */
  limit<Element>(key: string, list: readonly Element[], max: number, what?: string): Element[] {
    if (list.length > max)
      this.note(key, 'left-out', `No more than ${max}${what === undefined ? '' : ` ${what}`} are imported.`, 'Remove some.')
    return list.slice(0, max)
  }

  number(key: string): number | undefined {
    const value = this.take(key)
    if (value === undefined) return undefined
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof number === 'number' && Number.isFinite(number)) return number
    this.note(key, 'left-out', 'This must be a number.')
    return undefined
  }

  boolean(key: string): boolean | undefined {
    const value = this.take(key)
    if (value === undefined || typeof value === 'boolean') return value
    const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
    if (['true', 'yes', 'on'].includes(word)) return true
    if (['false', 'no', 'off'].includes(word)) return false
    this.note(key, 'left-out', '`true` or `false` is expected here.')
    return undefined
  }

  /** Returns the elements of a list. A single value counts as a list with one element. */
  list(key: string): readonly unknown[] {
    const value = this.take(key)
    return value === undefined ? [] : Array.isArray(value) ? value : [value]
  }

  texts(key: string): string[] {
    return this.list(key).flatMap((value, index) => {
      const text = this.elementText(key, index, value)
      if (text !== undefined) return [text]
      if (value !== null) this.#note([key, index], 'left-out', 'This must be text.')
      return []
    })
  }

  /** Returns the distinct texts that are not empty, limited in number and length. */
  shortTexts(key: string, most: Readonly<{ count: number; length: number }>): string[] {
    const texts = this.texts(key)
      .map((text) => this.shorten(text.trim(), most.length, key))
      .filter((text) => text !== '')
    return this.limit(key, [...new Set(texts)], most.count)
  }

  /** Returns the mapping at a key, or undefined if the field is absent or null. */
  fields(key: string): Fields | undefined {
    const value = this.take(key)
    return value === undefined ? undefined : new Fields(this.#source, this.#findings, [...this.#path, key], value)
  }

  element(key: string, index: number, value: unknown): Fields {
    return new Fields(this.#source, this.#findings, [...this.#path, key, index], value)
  }

  /** Reports fields that have no meaning on this platform, each with its reason. */
  leaveOut(reasons: Readonly<Record<string, string>>): void {
    for (const [key, why] of Object.entries(reasons)) if (this.#unread.has(key)) this.note(key, 'left-out', why)
  }

  rest(): void {
    for (const key of [...this.#unread])
      this.note(key, 'left-out', 'This field is unknown.', 'If you need it, set its counterpart in `capstan.yaml`.')
  }
}
