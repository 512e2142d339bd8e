import { expect, it } from 'vitest'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree } from './import.ts'

const kctf = 'apiVersion: kctf.dev/v1\nkind: Challenge\nmetadata: { name: a }\nspec: { image: example/a }\n'
const config = '[settings]\ndeploy = true\n'

it.each([
  ['challenge.yaml', kctf, 'Text.\n\n**flag:** `ctf{a_b}`\n', [{ text: 'ctf{a_b}' }]],
  ['config.toml', config, '# A\n\n## Solution\n\nFlag: `ctf{c}`\n', [{ text: 'ctf{c}' }]],
  ['config.toml', config, 'Flag: `ctf{c}` or Flag: `ctf{d}`\n', []],
  ['config.toml', config, 'The flag has the form `ctf{...}`.\n', []],
])('a flag is imported from a README only if the README contains exactly one flag: %s', (name, text, readme, flags) => {
  const [only] = importTree(createTextTree({ [`misc/a/${name}`]: text, 'misc/a/README.md': readme }))
  expect(only?.challenge?.flags).toEqual(flags)
})
