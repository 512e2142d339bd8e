import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { textTree } from '../testing/text-tree.ts'
import { readChallenge } from './read.ts'

it('finds the example of the docs valid', () => {
  const page = readFileSync(new URL('../../../../docs/challenges-as-code.md', import.meta.url), 'utf8')
  const [, example = ''] = page.split('```yaml\n')
  const text = example.slice(0, example.indexOf('```'))
  const { findings } = readChallenge(textTree({ 'capstan.yaml': text, 'server.py': '', Dockerfile: '' }), 'capstan.yaml')
  expect(findings).toEqual([])
})

it('wants either an image or a folder to build', () => {
  const text = [
    ...['apiVersion: capstan/v1', 'kind: Challenge', 'name: a', 'title: A', 'category: Web', "description: ''", 'flags: []'],
    ...['container:', '  ports: [{ port: 80 }]'],
  ].join('\n')
  const { challenge, findings } = readChallenge(textTree({ 'capstan.yaml': text }), 'capstan.yaml')
  expect(challenge).toBeUndefined()
  expect(findings).toEqual([
    {
      file: 'capstan.yaml',
      line: 8,
      field: 'container',
      outcome: 'refused',
      why: 'It names either an image or a folder to build.',
    },
  ])
})
