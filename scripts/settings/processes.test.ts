import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { text as readText } from 'node:stream/consumers'
import { readConfig as readApiConfig } from '@capstan/api/server/config'
import { readConfig as readGatewayConfig } from '@capstan/gateway/config'
import { liveCheckSettings } from '@capstan/gateway/settings'
import { readConfig as readOperatorConfig } from '@capstan/operator/config'
import { readDoctorConfig } from '@capstan/operator/doctor/config'
import { namesSettings } from '@capstan/operator/names/settings'
import { readConfig as readPagesConfig } from '@capstan/pages/config'
import { type Environment, readSettings, SettingsError } from '@capstan/settings/read'
import type { Setting } from '@capstan/settings/setting'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ProcessName, processNames, settingsOfProcess } from './processes.ts'

const readers: Record<ProcessName, (environment: Environment) => object> = {
  api: readApiConfig,
  gateway: readGatewayConfig,
  web: readPagesConfig,
  operator: readOperatorConfig,
  names: (environment) => readSettings(environment, (reader) => reader.read(namesSettings.process)),
  doctor: readDoctorConfig,
  'live check': (environment) => readSettings(environment, (reader) => reader.read(liveCheckSettings.process)),
}

const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' })

/** Returns example values for all environment variables of a process. */
function fullEnvironment(name: ProcessName): Record<string, string> {
  return {
    ...Object.fromEntries(settingsOfProcess(name).map((setting) => [setting.name, setting.kind.example])),
    ...(name === 'gateway' && {
      CAPSTAN_RATE_LIMITS: 'on',
      CAPSTAN_INSTANCES_CERTIFICATE: cert.trim(),
      CAPSTAN_INSTANCES_KEY: key.trim(),
    }),
  }
}

/** Returns the configuration of a process, or the messages with which it would exit. */
function outcome(name: ProcessName, environment: Environment): unknown {
  try {
    return readers[name](environment)
  } catch (error) {
    if (error instanceof SettingsError) return error.faults
    throw error
  }
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capstan-settings-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function inFile(name: string, value: string): string {
  const file = path.join(folder, name)
  writeFileSync(file, `${value}\n`)
  return file
}

/** Returns one invalid text for the setting, or an empty list if every text is valid. */
function malformed({ kind }: Setting<unknown>): string[] {
  return ['?', '-1', 'x'].filter((text) => kind.parse(text) === undefined).slice(0, 1)
}

const all = processNames.flatMap((name) => settingsOfProcess(name).map((setting) => ({ name, variable: setting.name, setting })))

describe.each(processNames)('the settings of %s', (name) => {
  const variables = settingsOfProcess(name).map((setting) => setting.name)

  it('settings have unique names', () => expect(new Set(variables).size).toBe(variables.length))

  it('settings are exactly the variables that the process reads', () => {
    const read = new Set<string>()
    const watched = (environment: Environment): Environment =>
      new Proxy(environment, {
        get(_, key) {
          read.add(String(key))
          return Reflect.get(environment, key)
        },
      })
    // Omit one variable at a time, because a process reads some variables only if another variable is missing.
    for (const left of variables) outcome(name, watched({ ...fullEnvironment(name), [left]: '' }))
    expect([...read].sort()).toEqual(variables.flatMap((variable) => [variable, `${variable}_FILE`]).sort())
  })
})

describe.each(all)('$variable of $name', ({ name, variable, setting }) => {
  const base = (): Record<string, string> => ({
    ...fullEnvironment(name),
    ...(variable === 'CAPSTAN_BLOB_FOLDER' && { CAPSTAN_BLOBS: 'folder' }),
  })

  it('the setting has a description, a valid default and a valid example', () => {
    expect(variable).toMatch(/^[A-Z][A-Z0-9_]*[A-Z0-9]$/)
    expect(setting.about).toMatch(/^\S.*[^.\s]$/)
    expect(setting.kind.parse(setting.kind.example)).not.toBeUndefined()
    if (setting.default !== undefined) expect(setting.kind.parse(setting.default)).not.toBeUndefined()
    // A secret must not have a default, because the default would be public.
    if (setting.kind.isSecret) expect(setting.default).toBeUndefined()
  })

  it('the setting changes the configuration that the process reads', () => {
    const environment = base()
    const without = { ...environment, [variable]: variable === 'CAPSTAN_RATE_LIMITS' && name === 'gateway' ? 'off' : '' }
    expect(outcome(name, environment)).not.toBeInstanceOf(Array)
    expect(outcome(name, without)).not.toEqual(outcome(name, environment))
  })

  it('the setting can be read from a file', () => {
    const environment = base()
    const { [variable]: value = '', ...rest } = environment
    const given = { ...rest, [`${variable}_FILE`]: inFile(variable, value) }
    expect(outcome(name, given)).toEqual(outcome(name, environment))
    expect(outcome(name, { ...rest, [`${variable}_FILE`]: path.join(folder, 'none') })).toEqual([
      expect.stringContaining(
        `${variable}_FILE names a file that cannot be read (ENOENT): it must be the path of a file that contains ${setting.kind.expected}`,
      ),
    ])
  })
})

const refusable = all.flatMap((each) => malformed(each.setting).map((wrong) => ({ ...each, wrong })))

it.each(refusable)('$name reports $variable with one message if it is $wrong', ({ name, variable, setting, wrong }) => {
  expect(outcome(name, { ...fullEnvironment(name), [variable]: wrong })).toEqual([
    `${variable} must be ${setting.kind.expected}, for example ${setting.kind.example}`,
  ])
})

const entries: Record<ProcessName | 'uninstall', [file: string, exitCode: number]> = {
  api: ['services/api/src/server.ts', 1],
  gateway: ['services/gateway/src/server.ts', 1],
  web: ['services/pages/src/server.ts', 1],
  operator: ['operator/src/main.ts', 2],
  uninstall: ['operator/src/uninstall/main.ts', 1],
  names: ['operator/src/names/main.ts', 2],
  doctor: ['operator/src/doctor/main.ts', 1],
  'live check': ['services/gateway/src/live-check/main.ts', 1],
}

it.each(Object.entries(entries))('%s exits with one message for each missing variable', async (name, entry) => {
  const [file, exitCode] = entry
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '..', '..', file)], {
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const [said, complained, code] = await Promise.all([readText(child.stdout), readText(child.stderr), ended])
  const needed = settingsOfProcess(name === 'uninstall' ? 'operator' : (name as ProcessName)).filter(
    ({ isRequired, onlyWith }) => isRequired && onlyWith === undefined,
  )
  const sentence = ({ name: variable, kind }: Setting<unknown>) =>
    `${variable} is missing: it must be ${kind.expected}, for example ${kind.example}`
  expect(complained.trimEnd().split('\n').sort()).toEqual(needed.map(sentence).sort())
  expect([said, code]).toEqual(['', exitCode])
})
