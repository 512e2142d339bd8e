import { entryPortLabel } from '@capstan/challenge-instance/labels'
import { expect, test } from 'vitest'
import { anInstanceSpec } from '../testing/instance-spec.ts'
import { fileVariables, refuseSpec, runArguments } from './run-arguments.ts'

const settings = { owner: 'us', publishHost: '127.0.0.1', flagEnvironmentNames: ['CTF_FLAG'], pidsLimit: 64 }

test('the image is the last argument if the challenge has no settings, and no argument contains the flag', () => {
  const { args, env } = runArguments(anInstanceSpec(), settings)
  expect(args.at(-1)).toBe('echo:1')
  expect(args.join(' ')).not.toContain('flag{x}')
  expect(env).toEqual({ FLAG: 'flag{x}', CTF_FLAG: 'flag{x}' })
  expect(fileVariables(anInstanceSpec())).toBe('')
})

test('passes program, arguments, user and folders', () => {
  const container = {
    command: ['/bin/sh', '-c'],
    args: ['echo $FLAG'],
    environment: [{ name: 'MODE', value: 'hard=1' }],
    user: 1000,
    group: 2000,
    readOnlyRoot: true,
    writablePaths: [{ path: '/tmp', sizeMb: 8 }],
  }
  const { args } = runArguments(anInstanceSpec({ container }), settings)
  expect(args.slice(args.indexOf('echo:1'))).toEqual(['echo:1', '-c', 'echo $FLAG'])
  expect(args.join(' ')).toContain(
    '--env TEAM_ID=4 --env FLAG --env CTF_FLAG --user 1000:2000 --read-only --tmpfs /tmp:rw,exec,mode=1777,size=8m --entrypoint /bin/sh',
  )
  expect(args).toContain('MODE=hard=1')
})

test('passes secret variables and flags under custom names in a file, but not in the environment of the engine', () => {
  const spec = anInstanceSpec({ container: { flag: { variables: ['DOCKER_HOST'] } }, secrets: { LD_PRELOAD: 'x' } })
  const { args, env } = runArguments(spec, settings, '/tmp/variables')
  expect(env).toEqual({})
  expect(args.join(' ')).toContain('--env-file /tmp/variables')
  expect(fileVariables(spec)).toBe('LD_PRELOAD=x\nDOCKER_HOST=flag{x}\n')
})

test('refuses settings that an engine does not support, with a sentence', () => {
  expect(refuseSpec(anInstanceSpec())).toBeUndefined()
  expect(refuseSpec(anInstanceSpec({ container: { flag: { file: { path: '/flag' } } } }))).toContain('needs a cluster')
  for (const image of ['--privileged', '-v=/:/host', '', ' echo:1'])
    expect(refuseSpec(anInstanceSpec({ image, container: { args: ['echo:1'] } }))).toContain('begins with a letter')
  expect(refuseSpec(anInstanceSpec({ secrets: { KEY: 'one\ntwo' } }))).toContain('one line')
})

test('publishes every port, and labels the entry port', () => {
  const { args } = runArguments(anInstanceSpec({ container: { furtherPorts: [9000] } }), settings)
  expect(args.join(' ')).toContain('--publish 127.0.0.1::1337 --publish 127.0.0.1::9000')
  expect(args).toContain(`${entryPortLabel}=1337`)
})
