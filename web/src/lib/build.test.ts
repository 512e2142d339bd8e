import { expect, it } from 'vitest'
import { getShownVersion, isBuildTag, toProjectPages, writeConsoleBanner } from './build.ts'

it.each([
  ['v1.2.3', true],
  ['v10.0.12', true],
  ['develop', true],
  ['1.2.3', false],
  ['v1.2', false],
  ['v1.2.3-rc1', false],
  ['main', false],
])('the build name %s is a build tag: %s', (tag, valid) => {
  expect(isBuildTag(tag)).toBe(valid)
  expect(getShownVersion(tag)).toBe(valid ? tag : 'unknown build')
})

it('the console banner contains the version, commit, build time and the page for reports', () => {
  const lines: string[] = []
  writeConsoleBanner((text) => lines.push(text), toProjectPages('https://git.example.org/capstan'))
  expect(lines.join()).toMatch(
    /develop[\s\S]*0123456789ab[\s\S]*2026-01-01T00:00:00\.000Z[\s\S]*https:\/\/git\.example\.org\/capstan\/issues/,
  )
})

it('the console banner links to the docs page if the build has no repository', () => {
  const lines: string[] = []
  writeConsoleBanner((text) => lines.push(text), toProjectPages(undefined))
  expect(lines.join()).toMatch(/0123456789ab[\s\S]*docs\s+http:\/\/\S+\/api\/docs/)
  expect(lines.join()).not.toMatch(/issues/)
})

it("the deployment's repository replaces the build's repository if it is a URL", () => {
  expect(toProjectPages('https://git.example.org/fork/', 'https://git.example.org/capstan')?.source).toBe(
    'https://git.example.org/fork',
  )
  expect(toProjectPages('', 'https://git.example.org/capstan')?.issues).toBe('https://git.example.org/capstan/issues')
  expect(toProjectPages('%repository%', undefined)).toBeUndefined()
  expect(toProjectPages('javascript:alert(1)', undefined)).toBeUndefined()
})
