import { expect, it } from 'vitest'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree } from './import.ts'

const event = 'title: A\ncategory: web\ndescription: d\npoints: 1\nflag: f\n'

it.each<readonly [string, Readonly<Record<string, string>>, ports: readonly number[]]>([
  ['of an image', { 'web/a/chall.yaml': `${event}image: x\nports: [80, "8081:81", { target: 82 }]\n` }, [80, 81, 82]],
  ['of a service', { 'web/a/chall.yaml': `${event}services: { app: { image: x, ports: [80, 81/tcp] } }\n` }, [80, 81]],
  [
    'of a Dockerfile next to an event',
    { 'web/a/chall.yaml': `${event}ports: [80, 81]\n`, 'web/a/Dockerfile': 'FROM x\n' },
    [80, 81],
  ],
])('all listed ports %s become ports for players, without a finding about ports', (_title, files, ports) => {
  const [read] = importTree(createTextTree(files))
  expect(read?.challenge?.container?.ports).toEqual(ports.map((port) => ({ port, speaks: expect.any(String) })))
  expect(read?.findings.filter(({ field }) => field.includes('port'))).toEqual([])
})

it('the image of a Dockerfile gets the exposed port of an earlier stage if its last stage exposes no port', () => {
  const dockerfile = 'FROM x AS base\nEXPOSE 4000\nFROM base\nRUN make\n'
  const [read] = importTree(
    createTextTree({
      'web/a/challenge.yml': 'name: A\ncategory: web\ntype: standard\nvalue: 1\nflags: [f]\nimage: .\n',
      'web/a/Dockerfile': dockerfile,
    }),
  )
  expect(read?.challenge?.container?.ports).toEqual([{ port: 4000, speaks: 'tcp' }])
})
