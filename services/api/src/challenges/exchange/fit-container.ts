import { describeFault } from '@capstan/challenge-files/format/container'
import type { Finding } from '@capstan/challenge-files/report'
import { containerOf } from '@capstan/contract/challenge-parts'
import { type ContainerChoices, containerFaults, type StoredContainer } from '@capstan/contract/container-definition'
import type { ArchivedChallenge } from './read-archive.ts'

const lists: ReadonlySet<string> = new Set(['environment', 'writablePaths', 'furtherPorts', 'offeredPorts'])

/** Returns a definition without the value to which a JSON pointer refers: a list item, a part of a setting, or a full setting. */
function without(definition: StoredContainer, at: string): StoredContainer {
  const [setting = '', part = '', index = ''] = at.slice(1).split('/')
  const { [setting as keyof StoredContainer]: wrong, ...others } = definition
  if (lists.has(setting)) return { ...others, [setting]: (wrong as unknown[]).filter((_, place) => String(place) !== part) }
  const { flag } = definition
  if (setting !== 'flag' || flag === undefined) return others
  const variables = (flag.variables ?? []).filter((_, place) => part !== 'variables' || String(place) !== index)
  const file = part === 'file' ? undefined : flag.file
  // If no variable and no file is set for the flag, the platform passes the flag in its default variables.
  if (variables.length === 0 && file === undefined) return others
  return { ...others, flag: { variables, ...(file && { file }) } }
}

/**
 * Removes each part of a container definition that contradicts another part or that the platform does not allow, and reports it.
 * @param file file that contains the definition
 */
function fit(definition: StoredContainer, entry: number, choices: ContainerChoices, file: string) {
  const findings: Finding[] = []
  let fitting = definition
  for (;;) {
    const [fault] = containerFaults(fitting, entry, choices)
    if (fault === undefined) return { fitting, findings }
    const { field, why } = describeFault(fault)
    findings.push({ file, line: 1, field, outcome: 'left-out', why, advice: 'Set it in the editor.' })
    fitting = without(fitting, fault.at)
  }
}

/** Returns a challenge of an archive. Its container is changed so that this platform allows it. */
export function fitContainer(read: ArchivedChallenge, choices: ContainerChoices): ArchivedChallenge {
  const { plan } = read
  if (plan === undefined) return read
  const container = containerOf(plan.challenge)
  const { fitting, findings } = fit(container.definition, container.port, choices, read.file)
  const challenge = {
    ...plan.challenge,
    containers: [{ ...container, definition: fitting }, ...plan.challenge.containers.slice(1)],
  }
  return { ...read, plan: { ...plan, challenge }, findings: [...read.findings, ...findings] }
}
