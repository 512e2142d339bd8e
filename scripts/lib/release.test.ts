import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { packFilesCommand, readSecrets, secretNamesOf } from './release.mjs'

function aFakeKubectl(variables: Record<string, string>, secrets: Record<string, Record<string, string>>) {
  return async ([, kind, name = '']: string[]): Promise<string> => {
    if (kind === 'secret') return secrets[name] ? JSON.stringify({ metadata: { name }, data: secrets[name] }) : ''
    const env = Object.entries(variables).map(([variable, secret]) => ({
      name: variable,
      valueFrom: { secretKeyRef: { name: secret, key: 'any' } },
    }))
    return JSON.stringify({ spec: { template: { spec: { containers: [{ name: 'sidecar' }, { name: 'api', env }] } } } })
  }
}

const variables = { CAPSTAN_SECRET_KEY: 'cap-keys', CAPSTAN_ADMIN_PASSWORD: 'cap-admin' }
const keys = { secretKey: 'azE=', internalToken: 'dDE=' }

describe('the Secrets of a release', () => {
  it('the Secrets of a release are by default those that the chart creates', async () => {
    const cluster = aFakeKubectl(variables, { 'cap-keys': keys, 'cap-admin': { password: 'cDE=' } })
    expect(await readSecrets('cap', cluster)).toEqual([
      { name: 'keys', data: keys },
      { name: 'admin', data: { password: 'cDE=' } },
    ])
  })

  it('Secrets in the values replace the default Secrets, and entries that the release does not use are omitted', async () => {
    const named = { CAPSTAN_SECRET_KEY: 'mine', CAPSTAN_ADMIN_PASSWORD: 'mine' }
    const cluster = aFakeKubectl(named, { mine: { ...keys, password: 'cDE=', url: 'dQ==' }, 'cap-keys': { secretKey: 'b2xk' } })
    expect(await secretNamesOf('cap', cluster)).toEqual({ keys: 'mine', admin: 'mine' })
    expect(await readSecrets('cap', cluster)).toEqual([
      { name: 'keys', data: keys },
      { name: 'admin', data: { password: 'cDE=' } },
    ])
  })

  it('the Secrets may lack the password of the first admin, but not the keys', async () => {
    expect(await readSecrets('cap', aFakeKubectl(variables, { 'cap-keys': keys }))).toEqual([{ name: 'keys', data: keys }])
    const password = { 'cap-admin': { password: 'cDE=' } }
    await expect(readSecrets('cap', aFakeKubectl(variables, password))).rejects.toThrow('There is no Secret cap-keys')
    const half = { ...password, 'cap-keys': { secretKey: 'azE=' } }
    await expect(readSecrets('cap', aFakeKubectl(variables, half))).rejects.toThrow('The Secret cap-keys has no internalToken')
    await expect(readSecrets('cap', aFakeKubectl({}, password))).rejects.toThrow('does not read CAPSTAN_SECRET_KEY from a Secret')
  })
})

describe('the files of a release', () => {
  const listPacked = (folder: string) => {
    const archive = execFileSync('sh', ['-c', packFilesCommand(folder)])
    return execFileSync('tar', ['-tf', '-'], { input: archive }).toString().split('\n').filter(Boolean)
  }

  it('files are packed with paths relative to their folder', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'capstan-files-'))
    mkdirSync(path.join(folder, 'blobs'))
    writeFileSync(path.join(folder, 'blobs', 'a'), 'content')
    expect(listPacked(folder)).toEqual(['blobs/', 'blobs/a'])
  })

  it('the archive of files is empty before the first upload', () => {
    expect(listPacked(mkdtempSync(path.join(tmpdir(), 'capstan-files-')))).toEqual([])
  })
})
