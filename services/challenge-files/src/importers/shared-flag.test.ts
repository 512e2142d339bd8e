import { expect, it } from 'vitest'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree } from './import.ts'

function containerOf(file: string, text: string) {
  return importTree(createTextTree({ [file]: text }))[0]?.challenge?.container
}

it('container variables that already contain the flag of all teams remain unchanged', () => {
  const text = `name: a
flag: { file: flag.txt }
containers: { main: { image: example/a, ports: [80], environment: { SECRET: "flag{b}", FLAG: "flag{b}" } } }
expose: { main: [{ target: 80, tcp: 1 }] }
`
  const environment = { SECRET: 'flag{b}', FLAG: 'flag{b}' }
  expect(containerOf('misc/a/challenge.yaml', text)).toMatchObject({ environment })
  expect(containerOf('misc/a/challenge.yaml', text.replace('{ file: flag.txt }', 'flag{b}'))).toMatchObject({ environment })
})

function kona(flags: string) {
  return `challenges:
  - category: pwn
    name: a
    flags: { rctf: ${flags} }
    instancerConfig:
      config: { services: { app: { image: example/a, environment: { MODE: x, RCTF_FLAG: "\${RCTF_FLAG}" } } } }
      expose: [{ kind: tcp, containerName: app, containerPort: 80 }]
`
}

it('a container variable that expects a flag is set to the flag of all teams', () => {
  const container = containerOf('pwn/a/kona.yaml', kona('"flag{c}"'))
  expect(container).toMatchObject({ environment: { MODE: 'x', RCTF_FLAG: 'flag{c}' } })
  expect(container).not.toHaveProperty('flag')
})

it('a container variable that expects a flag gets the flag of the team, if each team has a separate flag', () => {
  const flags = '[{ provider: flags/dynamic, config: { base: "flag{c_d}", mode: tail } }]'
  expect(containerOf('pwn/a/kona.yaml', kona(flags))).toMatchObject({
    environment: { MODE: 'x' },
    flag: { environment: 'RCTF_FLAG' },
  })
})
