import { challengeTypeOf } from '../challenge/read.ts'
import { type ChallengeFile, mapContainers } from '../format/challenge.ts'

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
