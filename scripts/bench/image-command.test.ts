import { describe, expect, it } from 'vitest'
import { imageCommandOf, imageEnvironmentOf, imageFlagsOf } from './image-command.ts'

describe('the command of an image', () => {
  it('is what its CMD gives to Node', () => {
    const dockerfile = 'FROM node:24\nUSER 1000\nCMD ["node", "--max-semi-space-size=4", "operator/src/main.ts"]\n'
    expect(imageCommandOf(dockerfile)).toEqual(['--max-semi-space-size=4', 'operator/src/main.ts'])
  })

  it('may have flags of two arguments', () => {
    const dockerfile = 'FROM node:24\nCMD ["node", "--import", "./hook.mjs", "--expose-gc", "main.ts"]\n'
    expect(imageFlagsOf(dockerfile)).toEqual(['--import', './hook.mjs', '--expose-gc'])
  })

  it('must run Node', () => {
    expect(() => imageCommandOf('FROM nginx\nCMD ["nginx"]\n')).toThrow('does not run `node')
  })
})

describe('the environment of an image', () => {
  it('is what its last stage sets', () => {
    const dockerfile =
      'FROM node:24 AS build\nENV A=1\nRUN true\n\nFROM node:24\nENV NODE_ENV=production MALLOC_ARENA_MAX=2\nENV B=x=y\n'
    expect(imageEnvironmentOf(dockerfile)).toEqual({ NODE_ENV: 'production', MALLOC_ARENA_MAX: '2', B: 'x=y' })
  })
})
