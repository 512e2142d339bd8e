import { hasEmailForm } from '@capstan/contract/account-rules'
import type { ProblemCode } from '@capstan/contract/problems'

/**
 * Blanks, and characters that leave no trace: what Unicode calls ignorable, format and control, and a few that it calls symbols
 * (blank Braille, object replacement, a note without a head).
 */
export const unseen = /[\s\p{C}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}]/gu

/** Emoji made of several characters: a picture, its skin and style, more of them joined; keys; the flags of England and others. */
const emoji =
  /(?:\u{1f3f4}[\u{e0030}-\u{e007a}]{1,6}\u{e007f}|[#*\d]\ufe0f?\u20e3|\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?(?:\u200d\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)*)/gu

/** A letter of an alphabet that writes some words with a joiner or a non-joiner between two letters. */
const joiningLetter =
  /[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}]/u

/** The text without joiners where such an alphabet has them. */
function withoutJoiners(text: string): string {
  return text.replaceAll(/[\u200c\u200d]/g, (mark, at: number) =>
    joiningLetter.test(text.charAt(at - 1)) && joiningLetter.test(text.charAt(at + 1)) ? '' : mark,
  )
}

/** Choosing one of several forms of a Chinese or Mongolian character. */
const variant = /(?<=\p{Script=Han})[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|(?<=\p{Script=Mongolian})[\u180b-\u180f]/gu

/** What is left must have none: controls, breaks, directions, and what takes no room. New emoji are unassigned for a while. */
const forbidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
const picture = /\p{Extended_Pictographic}/u

function isForbidden(text: string): boolean {
  return (text.match(forbidden) ?? []).some((character) => !picture.test(character))
}

/**
 * UTS 39, section 5.4: no language needs more marks on a letter, or one twice; a mark without a letter lands on what stands
 * before the name.
 */
const piledMarks = /^\p{M}|[\p{Mn}\p{Me}]{5}|([\p{Mn}\p{Me}])\1/u

/** Whether a name of a person or a team can be told from others by looking at it. @param name without blanks around it */
export function refuseName(name: string): ProblemCode | undefined {
  const rest = withoutJoiners(name.replaceAll(emoji, '')).replaceAll(variant, '')
  const isUnseen = name.replaceAll(unseen, '') === ''
  return isUnseen || isForbidden(rest) || piledMarks.test(name.normalize('NFD')) ? 'name.unreadable' : undefined
}

/** A user name must not be what somebody else may log in by: an address, in whatever characters it is written. */
export function refuseUserName(name: string): ProblemCode | undefined {
  return refuseName(name) ?? (hasEmailForm(name.normalize('NFKC')) ? 'username.address' : undefined)
}
