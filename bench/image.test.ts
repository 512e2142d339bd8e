import { describe, expect, it } from 'vitest'
import { parseImageDockerfile } from './image.ts'

describe('parseImageDockerfile', () => {
  it('returns the Node options and the entry file of CMD', () => {
    const dockerfile = 'FROM node:24\nUSER 1000\nCMD ["node", "--import", "./hook.mjs", "--expose-gc", "main.ts"]\n'
    expect(parseImageDockerfile(dockerfile)).toEqual({
      flags: ['--import', './hook.mjs', '--expose-gc'],
      entry: 'main.ts',
      environment: {},
    })
  })

  it('rejects an image that does not run Node', () => {
    expect(() => parseImageDockerfile('FROM nginx\nCMD ["nginx"]\n')).toThrow('does not run `node')
  })

  it('returns the variables that the last stage sets', () => {
    const dockerfile =
      'FROM node:24 AS build\nENV A=1\nRUN true\n\nFROM node:24\nENV NODE_ENV=production MALLOC_ARENA_MAX=2\nENV B=x=y\nCMD ["node", "main.ts"]\n'
    expect(parseImageDockerfile(dockerfile).environment).toEqual({ NODE_ENV: 'production', MALLOC_ARENA_MAX: '2', B: 'x=y' })
  })
})
