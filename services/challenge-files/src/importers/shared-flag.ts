import { typeOf } from '../challenge/read.ts'
import type { ChallengeFile } from '../format/challenge.ts'

/**
 * Sets the flag of all teams as the value of the variables that wait for a flag. The platform passes flags only to containers whose
 * teams have separate flags.
 */
export function withSharedFlag(challenge: ChallengeFile): ChallengeFile {
  const { container, flags } = challenge
  const names = [container?.flag?.environment ?? []].flat()
  const [text] = flags.flatMap((each) => ('text' in each ? [each.text] : []))
  if (container === undefined || text === undefined || names.length === 0 || typeOf(challenge) !== 'StaticContainer')
    return challenge
  const { flag, ...others } = container
  const environment = { ...others.environment, ...Object.fromEntries(names.map((name) => [name, text])) }
  return { ...challenge, container: { ...others, ...(flag?.file && { flag: { file: flag.file } }), environment } }
}
