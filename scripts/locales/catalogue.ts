export interface Texts {
  readonly [key: string]: string | Texts
}

/** Map from the full key of a text, such as `filter.found_one`, to the text. */
export type FlatTexts = ReadonlyMap<string, string>

export type LanguageRules = Readonly<{
  code: string
  /** True if missing keys are shown in English for now. */
  isPartial: boolean
  /** Returns true if the text may equal the English text. */
  mayRepeat: (key: string, text: string) => boolean
}>

export function flattenTexts(texts: Texts, prefix = ''): Map<string, string> {
  const flat = new Map<string, string>()
  for (const [name, value] of Object.entries(texts)) {
    const key = prefix === '' ? name : `${prefix}.${name}`
    if (typeof value === 'string') flat.set(key, value)
    else for (const [inner, text] of flattenTexts(value, key)) flat.set(inner, text)
  }
  return flat
}

const pluralForm = /_(zero|one|two|few|many|other)$/

/** Returns the key that code uses, without the plural form. */
export function keyWithoutPluralForm(key: string): string {
  return key.replace(pluralForm, '')
}

function categoriesOf(code: string): readonly string[] {
  return new Intl.PluralRules(code).resolvedOptions().pluralCategories
}

/** Returns `{{name}}`, `{{name, format}}` and `<tag>` of a text, sorted. */
function placeholders(text: string): string {
  return [...text.matchAll(/\{\{\s*(\w+)(?:,\s*\w+)?\s*\}\}|<\/?\w+>/g)]
    .map(([whole, name]) => name ?? whole)
    .sort()
    .join(' ')
}

function words(text: string): boolean {
  return /\p{L}{2}/u.test(text.replaceAll(/\{\{[^{}]*\}\}|<\/?\w+>/g, ''))
}

/** Returns the keys that a language must have: the English keys with the plural forms of this language. `_zero` is optional. */
export function requiredTextKeys(english: FlatTexts, code: string): Set<string> {
  const required = new Set<string>()
  for (const key of english.keys()) {
    const form = pluralForm.exec(key)?.[1]
    if (form === undefined || form === 'zero') required.add(key)
    else for (const category of categoriesOf(code)) required.add(`${keyWithoutPluralForm(key)}_${category}`)
  }
  return required
}

/**
 * Returns the placeholders that a text may have: the placeholders of the English text. A plural form that applies only
 * to the number 1 may omit the placeholder of the number.
 */
function allowedPlaceholders(english: FlatTexts, key: string, code: string): string[] {
  const form = pluralForm.exec(key)?.[1]
  if (form === undefined || form === 'zero') return [placeholders(english.get(key) ?? '')]
  const many = placeholders(english.get(`${keyWithoutPluralForm(key)}_other`) ?? '')
  const isExactlyOne = form === 'one' && new Intl.PluralRules(code).select(21) !== 'one'
  return isExactlyOne ? [many, placeholders(english.get(`${keyWithoutPluralForm(key)}_one`) ?? '')] : [many]
}

function sourceText(english: FlatTexts, key: string): string | undefined {
  return english.get(key) ?? english.get(`${keyWithoutPluralForm(key)}_other`)
}

/** Returns all faults of the texts of one area in one language, each as a sentence. */
export function findTranslationFaults(english: FlatTexts, own: FlatTexts, rules: LanguageRules): string[] {
  const required = requiredTextKeys(english, rules.code)
  const missing = rules.isPartial ? [] : [...required].filter((key) => !own.has(key)).map((key) => `${key} is missing`)
  const surplus = [...own.keys()].filter((key) => !required.has(key)).map((key) => `${key} is not in en-US`)
  const faults = [...own]
    .filter(([key]) => required.has(key))
    .flatMap(([key, text]) => {
      if (text.trim() === '') return [`${key} is empty`]
      const allowed = allowedPlaceholders(english, key, rules.code)
      if (!allowed.includes(placeholders(text)))
        return [`${key} has the placeholders "${placeholders(text)}" instead of "${allowed.join('" or "')}"`]
      const repeats =
        text === sourceText(english, key) &&
        words(text) &&
        !rules.mayRepeat(key, text.replaceAll(/\{\{[^{}]*\}\}|<\/?\w+>/g, ' '))
      return repeats ? [`${key} is still English: "${text}"`] : []
    })
  return [...missing, ...surplus, ...faults]
}
