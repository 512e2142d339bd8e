import { refuseFlagTemplate } from '@capstan/contract/flag-templates/check'
import { applyLeet, type Choice, leetEntropyBits } from '@capstan/contract/flag-templates/leet'
import { guidMarker, parseTemplate, teamHashMarker } from '@capstan/contract/flag-templates/parse'
import { Limits } from '@capstan/contract/limits'

export interface PreviewRandom extends Choice {
  uuid(): string
}

export type TemplatePreview = Readonly<{
  flag: string
  /**
   * Bits of randomness that leetspeak adds to a flag. Undefined if leetspeak is not applied because another placeholder already
   * makes the flag unique.
   */
  bits: number | undefined
  /**
   * True if the template is empty or contains `[GUID]` or `[TEAM_HASH]`. In these cases a team cannot guess the flag of another
   * team.
   */
  isUnique: boolean
  /**
   * Reason why the server would refuse the template: the template exceeds 120 characters, a flag exceeds 127, or the flag is too
   * easy to guess.
   */
  fault: 'templateLong' | 'templateWeak' | undefined
}>

/** Returns an example flag for the template of a DynamicContainer challenge, and the errors of the template. */
export function previewFlagTemplate(template: string, random: PreviewRandom): TemplatePreview {
  const { text, table, hasUniqueMarker } = parseTemplate(template)
  const problem = refuseFlagTemplate(template)
  const fault = problem && (problem === 'flag.template-long' ? 'templateLong' : 'templateWeak')
  const oneGuid = random.uuid()
  if (text === '') return { flag: `flag{${oneGuid}}`, bits: undefined, isUnique: true, fault }
  const oneHash = random.uuid().replaceAll('-', '').slice(0, Limits.teamHashLength)
  const leeted = table ? applyLeet(text, table, random) : text
  return {
    flag: leeted.replaceAll(guidMarker, oneGuid).replaceAll(teamHashMarker, oneHash),
    bits: table && leetEntropyBits(text, table),
    isUnique: hasUniqueMarker,
    fault,
  }
}

export const browserRandom: PreviewRandom = {
  int: (max) => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % max,
  uuid: () => {
    const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
    const groups = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20)]
    return groups.join('-')
  },
}
