import { challengeTypeOf } from '../challenge/read.ts'
import { type ChallengeFile, containersOf, mapContainers } from '../format/challenge.ts'
import type { Finding } from '../report.ts'
import { type FileTree, folderOf, readTextIfPossible, resolvePath } from '../tree.ts'

/**
 * Adds the flag that all teams share to the environment variables of the containers. The platform itself passes a flag to
 * containers only if each team has a separate flag.
 */
export function setSharedFlag(challenge: ChallengeFile): ChallengeFile {
  const [text] = challenge.flags.flatMap((each) => ('text' in each ? [each.text] : []))
  if (text === undefined || challengeTypeOf(challenge) !== 'StaticContainer') return challenge
  return mapContainers(challenge, (container) => {
    const names = [container.flag?.environment ?? []].flat()
    if (names.length === 0) return container
    const { flag, ...others } = container
    const environment = { ...others.environment, ...Object.fromEntries(names.map((name) => [name, text])) }
    return { ...others, ...(flag?.file && { flag: { file: flag.file } }), environment }
  })
}

const flagVariable = /^(?:\w{1,16}_)?flag$/i
const flagForm = /^\w{1,32}\{.+\}$/
const maxFlagFileBytes = 4_096

/**
 * Reports each container variable for the flag whose value is no flag of the challenge, such as a placeholder for local tests.
 * Players of such an instance would find a wrong flag.
 */
export function reportOtherFlags(tree: FileTree, file: string, challenge: ChallengeFile, findings: Finding[]): void {
  const accepted = challenge.flags.flatMap((each) => {
    if ('text' in each) return [each.text]
    const path = 'file' in each ? resolvePath(folderOf(file), each.file) : undefined
    const text = path === undefined ? undefined : readTextIfPossible(tree, path, maxFlagFileBytes)
    return text === undefined ? [] : [text.split('\n', 1)[0]?.trim() ?? '']
  })
  if (accepted.length === 0 || accepted.length < challenge.flags.length) return
  for (const { place, environment = {} } of containersOf(challenge))
    for (const [name, value] of Object.entries(environment))
      if (flagVariable.test(name) && typeof value === 'string' && flagForm.test(value) && !accepted.includes(value))
        findings.push({
          ...{ file, line: 1, field: `${place}.environment.${name}`, outcome: 'converted' },
          why: 'The value of the variable is not the flag of the challenge, so players may find a wrong flag.',
          advice: 'Set the variable to the flag of the challenge.',
        })
}
