import { closeSync, openSync, readSync } from 'node:fs'
import process from 'node:process'
import type { Setting, Settings, Values } from './setting.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Maximum size, in bytes, of a file that contains a value. */
export const maxSettingFileBytes = 64 * 1024

/** Error whose message has one line for each fault. No line contains the value of a setting, because the value may be secret. */
export class SettingsError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.name = 'SettingsError'
    this.faults = faults
  }
}

export interface SettingsReader {
  /**
   * Returns the values of these settings. Each value comes from its variable, or from the file whose path is in `<NAME>_FILE`.
   */
  read<Group extends Settings>(settings: Group): Values<Group>
  /** Reports that a setting is missing although another setting, such as `CAPSTAN_SMTP_URL`, needs it. */
  miss(setting: Setting<unknown>, because: string): void
  /**
   * Reports that a setting contradicts another setting. The message is the setting's name followed by `fault`, such as
   * "must not be …". `fault` must not contain a value.
   */
  refuse(setting: Setting<unknown>, fault: string): void
}

/**
 * Builds a configuration from an environment. A faulty setting temporarily gets its default or example, so that `build` can
 * continue and all faults are found. If there are faults, the configuration is discarded.
 * @throws SettingsError with all faults
 */
export function readSettings<Config extends object>(
  environment: Environment,
  build: (reader: SettingsReader) => Config,
): Readonly<Config> {
  // Report only the first fault of a setting.
  const faults = new Map<string, string>()
  const note = ({ name }: Setting<unknown>, fault: string): void => {
    if (!faults.has(name)) faults.set(name, fault)
  }

  function readOne(setting: Setting<unknown>): unknown {
    const { name, kind, isRequired, default: byDefault } = setting
    const placeholder = isRequired ? kind.parse(kind.example) : byDefault === undefined ? undefined : kind.parse(byDefault)
    const given = textOf(environment, setting)
    if ('fault' in given) {
      note(setting, given.fault)
      return placeholder
    }
    if (given.text === undefined) {
      if (isRequired) note(setting, missing(setting, setting.onlyWith))
      return placeholder
    }
    const value = kind.parse(given.text)
    if (value === undefined) note(setting, `${name} must be ${expectation(setting)}`)
    return value ?? placeholder
  }

  const config = build({
    read: <Group extends Settings>(settings: Group) =>
      Object.fromEntries(Object.entries(settings).map(([key, setting]) => [key, readOne(setting)])) as Values<Group>,
    miss: (setting, because) => note(setting, missing(setting, because)),
    refuse: (setting, fault) => note(setting, `${setting.name} ${fault}`),
  })
  if (faults.size > 0) throw new SettingsError([...faults.values()])
  return Object.freeze(config)
}

/** Returns the result of `read`. If there are faults, prints them to standard error and exits. */
export function readSettingsOrExit<Config>(read: () => Config, exitCode = 1): Config {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(exitCode)
  }
}

function expectation({ kind: { expected, example } }: Setting<unknown>): string {
  return `${expected}, for example ${example}`
}

function missing(setting: Setting<unknown>, because: string | undefined): string {
  return `${setting.name} is missing${because === undefined ? '' : `, which ${because} needs`}: it must be ${expectation(setting)}`
}

/** Returns the text of a setting. An empty variable or file counts as missing. */
function textOf(environment: Environment, setting: Setting<unknown>): { text: string | undefined } | { fault: string } {
  const { name, kind } = setting
  const direct = kind.isSecret ? environment[name] : environment[name]?.trim()
  const file = environment[`${name}_FILE`]
  if (!file) return { text: direct || undefined }
  if (direct)
    return {
      fault: `${name} and ${name}_FILE are both set: set only one of them. ${name} must be ${expectation(setting)}`,
    }
  const content = contentOf(file)
  if ('text' in content) return { text: content.text.trim() || undefined }
  const example = `/run/secrets/${name.toLowerCase().replaceAll('_', '-')}`
  return {
    fault: `${name}_FILE names a file that ${content.problem}: it must be the path of a file that contains ${kind.expected}, for example ${example}`,
  }
}

/** Reads a file up to the maximum size, even if it is a device or pipe. */
function contentOf(file: string): { text: string } | { problem: string } {
  const buffer = Buffer.alloc(maxSettingFileBytes + 1)
  let length = 0
  try {
    const descriptor = openSync(file, 'r')
    try {
      for (let read = -1; read !== 0; length += read) read = readSync(descriptor, buffer, length, buffer.length - length, null)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
  if (length > maxSettingFileBytes) return { problem: `is larger than ${maxSettingFileBytes} bytes` }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, length)) }
  } catch {
    return { problem: 'is not UTF-8 text' }
  }
}
