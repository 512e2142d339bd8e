import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { importTree } from '../importers/import.ts'
import { createTextTree } from '../testing/text-tree.ts'

const folder = fileURLToPath(new URL('../../../../operator/testing-images/lodge/', import.meta.url))
function read(name: string) {
  return readFileSync(folder + name, 'utf8')
}

it('the test image of a compose project is built from the Dockerfile that the import creates', () => {
  const names = ['compose.yaml', 'Dockerfile', 'serve.mjs', 'site/index.html']
  const [imported] = importTree(createTextTree(Object.fromEntries(names.map((name) => [name, read(name)]))))
  expect(imported?.challenge?.containers?.[0]).toMatchObject({ build: { context: '.', dockerfile: 'Dockerfile.capstan-page' } })
  expect(imported?.dockerfiles).toEqual([{ path: 'Dockerfile.capstan-page', text: read('Dockerfile.capstan-page') }])
})
