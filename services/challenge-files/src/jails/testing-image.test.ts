import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { importTree } from '../importers/import.ts'
import { createTextTree } from '../testing/text-tree.ts'

const folder = fileURLToPath(new URL('../../../../operator/testing-images/jailed/', import.meta.url))
const files = Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(folder + name, 'utf8')]))

it('the test image for clusters is built from the converted Dockerfile of a jailed challenge', () => {
  const [imported] = importTree(createTextTree(files))
  expect(imported?.challenge?.container).toMatchObject({
    build: { context: '.', dockerfile: 'Dockerfile.capstan' },
    ports: [{ port: 5000 }],
    flag: { file: '/app/flag.txt' },
  })
  expect(imported?.dockerfiles?.[0]?.text).toBe(files['Dockerfile.capstan'])
})
