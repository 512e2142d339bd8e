import { Limits } from '@capstan/contract/limits'
import { challengeTypeOf } from '../challenge/read.ts'
import { type ChallengeFile, containersOf, mapContainers } from '../format/challenge.ts'
import type { Finding } from '../report.ts'
import { type FileTree, folderOf, hasFile, readTextIfPossible, resolvePath } from '../tree.ts'

const maxFlagFileBytes = 4_096

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

/** Drops and reports flags in files whose first line is no flag, because the platform refuses a challenge with such a flag. */
export function withoutUnusableFlags(tree: FileTree, file: string, challenge: ChallengeFile, findings: Finding[]): ChallengeFile {
  const flags = challenge.flags.filter((flag, index) => {
    const path = 'file' in flag ? resolvePath(folderOf(file), flag.file) : undefined
    if (path === undefined || !hasFile(tree, path)) return true
    const first = readTextIfPossible(tree, path, maxFlagFileBytes)?.split('\n', 1)[0]?.trim() ?? ''
    if (first !== '' && [...first].length <= Limits.maxFlagLength) return true
    findings.push({
      ...{ file, line: 1, field: `flags[${index}]`, outcome: 'left-out' },
      why: `The first line of \`${path}\` is not a flag of 1 to ${Limits.maxFlagLength} characters.`,
      advice: 'Add the flag to `flags` before you enable the challenge.',
    })
    return false
  })
  if (flags.length === challenge.flags.length) return challenge
  return { ...challenge, flags, ...(flags.length === 0 && { enabled: false }) }
}

const flagVariable = /^(?:\w{1,16}_)?flag$/i
const flagForm = /^\w{1,32}\{.+\}$/

/**
 * Reports each container variable that should contain the flag, but contains no flag of the challenge. Its value may be a
 * placeholder for local tests. Players of such an instance would find a wrong flag.
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
