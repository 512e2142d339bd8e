import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readTracingSettings } from './common.ts'
import { integer, secret, text } from './kinds.ts'
import { type Environment, maxSettingFileBytes, readSettings, readSettingsOrExit, SettingsError } from './read.ts'
import { optional, required, withDefault } from './setting.ts'

const settings = {
  token: required('TOKEN', secret(4), 'a secret'),
  size: withDefault('SIZE', integer(1, 9, 3), 5, 'a number'),
  name: optional('NAME', text('a name', 'ada'), 'a text'),
}
function read(environment: Environment) {
  return readSettings(environment, (reader) => reader.read(settings))
}

function faultsOf(run: () => unknown): readonly string[] {
  try {
    run()
  } catch (error) {
    if (error instanceof SettingsError) return error.faults
    throw error
  }
  return []
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capstan-settings-'))
})
afterAll(() => rmSync(folder, { recursive: true }))
function aFile(content: string | Buffer): string {
  const file = path.join(folder, String(Math.random()))
  writeFileSync(file, content)
  return file
}

const needsToken = 'it must be a secret of at least 4 characters, for example $(openssl rand -hex 24)'

describe('values', () => {
  it('reads values from the variables, or else from the defaults', () => {
    expect(read({ TOKEN: 'abcd' })).toEqual({ token: 'abcd', size: 5, name: undefined })
    expect(read({ TOKEN: 'abcd', SIZE: '7', NAME: 'grace' })).toEqual({ token: 'abcd', size: 7, name: 'grace' })
  })

  it('trims values unless they are secrets', () => {
    expect(read({ TOKEN: ' a b ', SIZE: ' 7 ', NAME: '\tgrace ' })).toEqual({ token: ' a b ', size: 7, name: 'grace' })
  })

  it('returns no value if the variable is empty', () => {
    expect(read({ TOKEN: 'abcd', SIZE: '', NAME: '  ' })).toEqual({ token: 'abcd', size: 5, name: undefined })
    expect(faultsOf(() => read({ TOKEN: '' }))).toEqual([`TOKEN is missing: ${needsToken}`])
  })

  it('returns an object that cannot be changed', () => expect(Object.isFrozen(read({ TOKEN: 'abcd' }))).toBe(true))
})

describe('a file', () => {
  it('reads a value from a file, without the final line break of the file', () => {
    expect(read({ TOKEN_FILE: aFile('abcd\n'), SIZE_FILE: aFile(' 7\r\n') })).toMatchObject({ token: 'abcd', size: 7 })
  })

  it('reads a value from a file if the variable is empty, and reads no file if the variable for its path is empty', () => {
    expect(read({ TOKEN: '', TOKEN_FILE: aFile('abcd') }).token).toBe('abcd')
    expect(read({ TOKEN: 'efgh', TOKEN_FILE: '' }).token).toBe('efgh')
  })

  it('returns no value if the file is empty', () => {
    expect(read({ TOKEN: 'abcd', SIZE_FILE: aFile('\n') }).size).toBe(5)
    expect(faultsOf(() => read({ TOKEN_FILE: aFile('') }))).toEqual([`TOKEN is missing: ${needsToken}`])
  })

  it('rejects a setting that has both a value in its variable and a file', () => {
    expect(faultsOf(() => read({ TOKEN: 'abcd', TOKEN_FILE: aFile('abcd') }))).toEqual([
      'TOKEN and TOKEN_FILE are both set: set only one of them. TOKEN must be a secret of at least 4 characters, for example $(openssl rand -hex 24)',
    ])
  })

  it('accepts a file of the maximum size, and rejects a larger file', () => {
    expect(read({ TOKEN: 'abcd', NAME_FILE: aFile('x'.repeat(maxSettingFileBytes)) }).name).toHaveLength(maxSettingFileBytes)
    const fault =
      'NAME_FILE names a file that is larger than 65536 bytes: it must be the path of a file that contains a name, for example /run/secrets/name'
    expect(faultsOf(() => read({ TOKEN: 'abcd', NAME_FILE: aFile('x'.repeat(maxSettingFileBytes + 1)) }))).toEqual([fault])
    expect(faultsOf(() => read({ TOKEN: 'abcd', NAME_FILE: '/dev/zero' }))).toEqual([fault])
  })

  it.each([
    ['does not exist', () => path.join(folder, 'none'), 'cannot be read (ENOENT)'],
    ['is a folder', () => folder, 'cannot be read (EISDIR)'],
    ['is no text', () => aFile(Buffer.from([0xff, 0xfe, 0xfd])), 'is not UTF-8 text'],
  ])('a file that %s causes one fault, which does not quote the path of the file', (_name, file, problem) => {
    expect(faultsOf(() => read({ TOKEN_FILE: file() }))).toEqual([
      `TOKEN_FILE names a file that ${problem}: it must be the path of a file that contains a secret of at least 4 characters, for example /run/secrets/token`,
    ])
  })
})

describe('faults', () => {
  it('lists all faults, each with the expected value and an example', () => {
    expect(faultsOf(() => read({ SIZE: '10' }))).toEqual([
      `TOKEN is missing: ${needsToken}`,
      'SIZE must be a whole number from 1 to 9, for example 3',
    ])
  })

  it('quotes no values or paths in faults', () => {
    const value = 'oh'
    const file = aFile(value)
    for (const environment of [
      { TOKEN: value },
      { TOKEN_FILE: file },
      { TOKEN: value, TOKEN_FILE: file },
      { TOKEN_FILE: value },
    ]) {
      const shown = faultsOf(() => read({ ...environment, SIZE: 'ohoh' })).join('\n')
      expect(shown).toContain('TOKEN')
      expect(shown).not.toContain(value)
      expect(shown).not.toContain(file)
    }
  })

  it('reports a missing setting that another setting needs', () => {
    const withSize = { code: required('CODE', text('a code', 'x1'), 'a code', 'SIZE=9') }
    const fault = 'which SIZE=9 needs: it must be a code, for example x1'
    expect(faultsOf(() => readSettings({}, (reader) => reader.read(withSize)))).toEqual([`CODE is missing, ${fault}`])
    const run = (environment: Environment) => () =>
      readSettings(environment, (reader) => {
        reader.miss(settings.name, 'SIZE=9')
        return reader.read(settings)
      })
    expect(faultsOf(run({ TOKEN: 'abcd' }))).toEqual(['NAME is missing, which SIZE=9 needs: it must be a name, for example ada'])
  })

  it('reports each faulty setting only once, even if it is read twice', () => {
    const twice = () => readSettings({}, (reader) => [reader.read(settings), reader.read(settings)])
    expect(faultsOf(twice)).toEqual([`TOKEN is missing: ${needsToken}`])
  })

  it('reports faults even if the configuration cannot be built', () => {
    const lengthOf = (environment: Environment) => () =>
      readSettings(environment, (reader) => ({ length: reader.read(settings).token.length }))
    expect(faultsOf(lengthOf({}))).toHaveLength(1)
  })
})

describe('an entry point', () => {
  it('prints all faults to standard error and exits with the given code', () => {
    const exit = vi.spyOn(process, 'exit').mockImplementation((() => {
      throw new Error('ended')
    }) as never)
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    try {
      expect(() => readSettingsOrExit(() => read({}), 2)).toThrow('ended')
      expect(exit).toHaveBeenCalledExactlyOnceWith(2)
      expect(written).toHaveBeenCalledExactlyOnceWith(`TOKEN is missing: ${needsToken}\n`)
    } finally {
      exit.mockRestore()
      written.mockRestore()
    }
  })

  it('returns a valid configuration, and throws errors that are not faults of settings', () => {
    expect(readSettingsOrExit(() => read({ TOKEN: 'abcd' })).size).toBe(5)
    expect(() =>
      readSettingsOrExit(() => {
        throw new TypeError('a defect')
      }),
    ).toThrow(new TypeError('a defect'))
  })
})

describe('tracing', () => {
  const traces = (environment: Environment) => readSettings(environment, (reader) => ({ to: readTracingSettings(reader) })).to

  it('disables tracing if the endpoint is missing, even if other settings are present', () => {
    expect(traces({ OTEL_TRACES_SAMPLER_ARG: 'many' })).toBeUndefined()
  })

  it('samples all traces by default', () => {
    const endpoint = 'http://collector:4318'
    expect(traces({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toEqual({ endpoint, sampleRatio: 1 })
    const some = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: '0.05' }
    expect(traces(some)).toEqual({ endpoint, sampleRatio: 0.05 })
  })

  it('rejects an invalid endpoint or ratio', () => {
    const endpoint = 'http://collector:4318'
    expect(() => traces({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toThrow(
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an address',
    )
    expect(() => traces({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: '5' })).toThrow(
      'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, for example 0.1',
    )
  })
})
