import type { ChallengeFile } from '../format/challenge.ts'
import type { Finding } from '../report.ts'

/**
 * If a challenge has both attached files and attached addresses, moves the addresses to its description. The platform accepts
 * either files or one address.
 */
export function moveAddressesToDescription(challenge: ChallengeFile, file: string, findings: Finding[]): ChallengeFile {
  const { attachments = [], description } = challenge
  const urls = attachments.flatMap((each) => ('url' in each ? [each.url] : []))
  if (urls.length === 0 || attachments.length === 1 || typeof description !== 'string') return challenge
  const others = attachments.filter((each) => !('url' in each))
  findings.push({
    file,
    line: 1,
    field: 'attachments',
    outcome: 'converted',
    why: 'Attachments are either files or one address, so addresses were added to the end of the description.',
  })
  const { attachments: _, ...rest } = challenge
  return {
    ...rest,
    description: [description, ...urls.map((url) => `<${url}>`)].filter((part) => part !== '').join('\n\n'),
    ...(others.length > 0 && { attachments: others }),
  }
}
