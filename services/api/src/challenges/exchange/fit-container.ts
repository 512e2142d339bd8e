import { containerOf } from '@capstan/challenge-files/challenge/challenge'
import { tellFault } from '@capstan/challenge-files/format/container'
import type { Finding } from '@capstan/challenge-files/report'
import { type ContainerChoices, containerFaults, type StoredContainer } from '@capstan/contract/container-definition'
import type { ReadChallenge } from './read-archive.ts'

const lists: ReadonlySet<string> = new Set(['environment', 'writablePaths', 'furtherPorts', 'offeredPorts'])

/** A definition without what a pointer leads to: one of a list, a part of a setting, or the setting. */
function without(definition: StoredContainer, at: string): StoredContainer {
  const [setting = '', part = '', index = ''] = at.slice(1).split('/')
  const { [setting as keyof StoredContainer]: wrong, ...others } = definition
  if (lists.has(setting)) return { ...others, [setting]: (wrong as unknown[]).filter((_, place) => String(place) !== part) }
  const { flag } = definition
  if (setting !== 'flag' || flag === undefined) return others
  const variables = (flag.variables ?? []).filter((_, place) => part !== 'variables' || String(place) !== index)
  const file = part === 'file' ? undefined : flag.file
  // With neither, the variables of the platform hold it.
  if (variables.length === 0 && file === undefined) return others
  return { ...others, flag: { variables, ...(file && { file }) } }
}

/**
 * What of a definition can be stored here: each part that contradicts another or the platform is left out, and said.
 *
 * @param file where it is written
 */
function fit(definition: StoredContainer, entry: number, choices: ContainerChoices, file: string) {
  const findings: Finding[] = []
  let fitting = definition
  for (;;) {
    const [fault] = containerFaults(fitting, entry, choices)
    if (fault === undefined) return { fitting, findings }
    const { field, why } = tellFault(fault)
    findings.push({ file, line: 1, field, outcome: 'left-out', why, advice: 'Set it in the editor.' })
    fitting = without(fitting, fault.at)
  }
}

/** A challenge of an archive with what this platform allows its container. */
export function fitChallenge(read: ReadChallenge, choices: ContainerChoices): ReadChallenge {
  const { plan } = read
  if (plan === undefined) return read
  const container = containerOf(plan.challenge)
  const { fitting, findings } = fit(container.definition, container.port, choices, read.file)
  const challenge = { ...plan.challenge, containers: [{ ...container, definition: fitting }] }
  return { ...read, plan: { ...plan, challenge }, findings: [...read.findings, ...findings] }
}
