/**
 * Texts that a translation may share with English. A text equal to the English text counts as translated only if all its words are
 * listed here.
 */

/**
 * Keys whose text is English in every language. The texts warn that a translation may be wrong, so some readers need
 * these texts in English.
 */
const englishKeys: readonly string[] = [
  'common:language.confirm',
  'common:language.help',
  'common:language.inProgressText',
  'common:language.inProgressTitle',
  'common:language.machineText',
  'common:language.machineTitle',
  'common:language.progress',
  'common:language.source',
  'common:language.switchToEnglish',
]

/** Names, units and technical words that hardly any language changes, in lower case. */
const wordsOfAll = 'admin bio cpu csv flag flags id mb png port rctf webhook webhooks writeup writeups xlsx'

/** Words that one language shares with English, in lower case. */
const wordsOf: Readonly<Record<string, string>> = {
  'de-DE':
    'bloods commit container division fatal filter image information linear live logo mail monitor name offline person poster slogan status team teams terminals text ticket tickets version',
  'es-ES': 'blood bloods captcha color commit error fatal first monitor no pts second third',
  'fr-FR':
    'actions activation administration blood bloods captcha commit correct description division divisions e fatal first image information instance instances invitation licence logo mail maintenance message messages minutes notifications pages pause point points pts score second sections slogan third ticket tickets type version zoom',
  'id-ID': 'blood captcha commit email fatal first image linear logo parabola platform poster second slogan status third',
}

const letters = /\p{L}+/gu

/** True if a translated text may be equal to the English text. */
export function mayRepeatEnglish(language: string, key: string, text: string): boolean {
  if (englishKeys.includes(key)) return true
  const allowed = new Set(`${wordsOfAll} ${wordsOf[language] ?? ''}`.split(' '))
  return (text.toLowerCase().match(letters) ?? []).every((word) => allowed.has(word))
}

/** Texts in the code that are not language: names, keys of the keyboard, examples of flags and addresses. */
export const codeTexts: readonly RegExp[] = [
  /^Apache-2\.0$/,
  /^Ctrl K$/,
  /^(?:\s|flag\{[^{}\s]*\}|https?:\/\/\S*(?!\S))+$/,
  /^registry\.example\/\S+$/,
]
