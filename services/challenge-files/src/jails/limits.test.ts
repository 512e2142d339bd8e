import { expect, it } from 'vitest'
import { importTree } from '../importers/import.ts'
import { createTextTree } from '../testing/text-tree.ts'

const descriptor = 'name: A\nflag: ctf{a}\nvalue: 1\ncategory: pwn\n'

function containerOf(environment: string, more = '') {
  const [only] = importTree(
    createTextTree({
      'pwn/a/challenge.yaml': `${descriptor}${more}`,
      'pwn/a/Dockerfile': `FROM pwn.red/jail\nCOPY --from=ubuntu / /srv\nCOPY a /srv/app/run\nENV ${environment}\n`,
    }),
  )
  return {
    limits: { memoryMb: only?.challenge?.container?.memoryMb, cpu: only?.challenge?.container?.cpu },
    findings: only?.findings ?? [],
  }
}

it.each([
  ['JAIL_MEM=20M JAIL_CPU=250', { memoryMb: 80, cpu: 0.3 }],
  ['JAIL_MEM=5M', { memoryMb: 32, cpu: undefined }],
  ['JAIL_MEM=1G JAIL_CPU=2000', { memoryMb: 4096, cpu: 2 }],
  ['JAIL_MEM=33554432', { memoryMb: 128, cpu: undefined }],
  ['JAIL_MEM=0 JAIL_CPU=0', { memoryMb: undefined, cpu: undefined }],
  ['JAIL_MEM=much JAIL_CPU=some', { memoryMb: undefined, cpu: undefined }],
])("the conversion multiplies a jail's memory limit by four and retains the CPU limit: %s", (environment, limits) => {
  expect(containerOf(environment).limits).toEqual(limits)
})

it('a limit in the descriptor replaces the limit of the jail, and each limit taken from the jail is reported', () => {
  const own = 'containers: { main: { build: ., ports: [5000], resources: { limits: { memory: 300Mi } } } }\n'
  const { limits, findings } = containerOf('JAIL_MEM=20M JAIL_CPU=100', own)
  expect(limits).toEqual({ memoryMb: 300, cpu: 0.1 })
  expect(findings.map(({ why }) => why)).toContain('The limits of the jail become the limits of the container: 0.1 cores.')
})
