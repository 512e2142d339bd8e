import { readFileSync } from 'node:fs'
import { definitionFile } from '@capstan/challenge-instance/definition-file'
import { expect, test } from 'vitest'
import { generateTypesOfCrd } from './definition-types.ts'

const generated = new URL('../../services/challenge-instance/src/definition.ts', import.meta.url)

/** Returns a CRD with these members in spec and status. */
function aDefinition(spec: object, status: object = {}): string {
  return JSON.stringify({
    metadata: { name: 'things.example.org' },
    spec: {
      group: 'example.org',
      names: { kind: 'Thing', plural: 'things' },
      versions: [{ name: 'v1', schema: { openAPIV3Schema: { properties: { spec, status: { type: 'object', ...status } } } } }],
    },
  })
}

test('the committed types of ChallengeInstance equal the generated types', () => {
  const yaml = readFileSync(definitionFile, 'utf8')
  expect(generateTypesOfCrd('crds/capstan.dev_challengeinstances.yaml', yaml)).toBe(readFileSync(generated, 'utf8'))
})

test('`generateTypesOfCrd` generates an interface with optional members and union types', () => {
  const properties = {
    count: { type: 'integer' },
    size: { type: 'integer', description: 'How large.' },
    mode: { type: 'string', enum: ['On', 'Off'], default: 'On' },
    names: { type: 'array', items: { type: 'string' } },
    levels: { type: 'array', items: { type: 'string', enum: ['Low', 'High'] } },
    nested: { type: 'object', default: {}, properties: { isOpen: { type: 'boolean' } } },
  }
  const types = generateTypesOfCrd('things.yaml', aDefinition({ type: 'object', required: ['size'], properties }))
  expect(types).toContain(`export interface ThingSpec {
  count?: number
  /** How large. */
  size: number
  mode: 'On' | 'Off'
  names?: string[]
  levels?: ('Low' | 'High')[]
  nested: {
    isOpen?: boolean
  }
}
`)
  expect(types).toContain("export const apiVersion = 'example.org/v1'\n")
})

test('the generation of types refuses a CRD without a status', () => {
  const yaml = aDefinition({ type: 'object' }).replace('"status"', '"other"')
  expect(() => generateTypesOfCrd('things.yaml', yaml)).toThrow('things.yaml needs a spec and a status')
})
