import { looksLikeEmail } from '@capstan/contract/account-rules'
import type { ProblemCode } from '@capstan/contract/problems'
import { anonymousName, systemName } from '../../server/logs/record.ts'
import { computeUniqueNameKeys, invisible, nameKinds } from './keys.ts'

/**
 * Emoji that consist of several characters: pictures with skin tone or style, joined pictures, keycaps, and regional flags such
 * as England's.
 */
const emoji =
  /(?:\u{1f3f4}[\u{e0030}-\u{e007a}]{1,6}\u{e007f}|[#*\d]\ufe0f?\u20e3|\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?(?:\u200d\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)*)/gu

const joiningLetter =
  /[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}]/u

function withoutJoiners(text: string): string {
  return text.replaceAll(/[\u200c\u200d]/g, (mark, at: number) =>
    joiningLetter.test(text.charAt(at - 1)) && joiningLetter.test(text.charAt(at + 1)) ? '' : mark,
  )
}

/** Variation selectors of a Chinese or Mongolian character. */
const variant = /(?<=\p{Script=Han})[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|(?<=\p{Script=Mongolian})[\u180b-\u180f]/gu

/**
 * Characters that a name may contain only as part of the sequences above: control characters, line breaks, direction marks and
 * zero-width characters. Unassigned characters are allowed, since they may be new emoji.
 */
const forbidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
const picture = /\p{Extended_Pictographic}/u

function isForbidden(text: string): boolean {
  return (text.match(forbidden) ?? []).some((character) => !picture.test(character))
}

/**
 * Pattern of excessive combining marks (UTS 39, section 5.4). No language needs more than four marks on a letter, or the same mark
 * twice. The pattern also matches a mark at the start, because it would attach to the text before the name.
 */
const piledMarks = /^\p{M}|[\p{Mn}\p{Me}]{5}|([\p{Mn}\p{Me}])\1/u

/**
 * Refuses a name that readers cannot see completely or cannot distinguish from other names.
 * @param name name without spaces at the start and end
 */
export function refuseInvalidName(name: string): ProblemCode | undefined {
  const rest = withoutJoiners(name.replaceAll(emoji, '')).replaceAll(variant, '')
  const isInvisible = name.replaceAll(invisible, '') === ''
  return isInvisible || isForbidden(rest) || piledMarks.test(name.normalize('NFD')) ? 'name.unreadable' : undefined
}

const reservedKeys = [systemName, anonymousName].map(computeUniqueNameKeys)

/** True if the name resembles a name that the platform uses in log lines. */
function isReserved(name: string): boolean {
  const keys = computeUniqueNameKeys(name)
  return reservedKeys.some((reserved) => nameKinds.some((kind) => keys[kind] === reserved[kind]))
}

/** Refuses a name that a user must not choose. @param name name without spaces at the start and end */
export function refuseInvalidUserName(name: string): ProblemCode | undefined {
  const refusal = refuseInvalidName(name) ?? (looksLikeEmail(name.normalize('NFKC')) ? 'username.address' : undefined)
  return refusal ?? (isReserved(name) ? 'username.taken' : undefined)
}
