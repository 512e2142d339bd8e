import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readyReasons } from './reasons.ts'

const definition = readFileSync(new URL('../../../crds/capstan.dev_challengeinstances.yaml', import.meta.url), 'utf8')

it('the reasons that are final are those which the CRD tells the api', () => {
  const header = definition.slice(0, definition.indexOf('apiVersion:')).replaceAll('\n#', ' ')
  const listed = /\(the operator goes on trying all the same\):([A-Za-z,\s]+)\./.exec(header)?.[1]
  const final = Object.entries(readyReasons).filter(([, { final: isFinal }]) => isFinal)
  expect(listed?.split(',').map((word) => word.trim())).toEqual(final.map(([reason]) => reason))
})

it('every reason is one PascalCase word and has a sentence', () => {
  for (const [reason, { message }] of Object.entries(readyReasons)) {
    expect(reason).toMatch(/^[A-Z][A-Za-z]+$/)
    expect(message).toMatch(/^[A-Z].*\.$/)
  }
})
