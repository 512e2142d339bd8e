import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { problems } from '@capstan/contract/problems'
import { expect, test } from 'vitest'

const services = fileURLToPath(new URL('../../../../', import.meta.url))
const sources = globSync(
  [
    '{api/src,gateway/src,challenge-files/src/challenge,contract/src/flag-templates}/**/*.ts',
    'contract/src/{phases,roles,token-access}.ts',
  ],
  {
    cwd: services,
  },
).filter((path) => !path.endsWith('.test.ts') && !path.includes('testing/'))

function withoutTypes(source: string): string {
  return source
    .replaceAll(/Extract<\s*ProblemCode,[^>]*>/g, '')
    .replaceAll(/^(export )?type .*?(\n\n|\n(?=\S))/gms, '')
    .replaceAll(/\/\*\*.*?\*\//gs, '')
}

test('every code of the catalog is thrown by the api, the gateway or a shared rule', async () => {
  const texts = await Promise.all(sources.map((path) => readFile(`${services}${path}`, 'utf8')))
  const all = texts.map(withoutTypes).join('\n')
  expect(Object.keys(problems).filter((code) => !all.includes(`'${code}'`))).toEqual([])
})
