// Usage: node scripts/check-locales.ts
//
// Checks the texts of the web. Every language must have all used texts, with the same placeholders and plural forms, and the code
// must not contain texts. Texts of web and server must use the words of the glossary in docs/translating.md. Prints each fault in
// a line, and exits with 1 if there are any.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { codeTexts, mayRepeatEnglish } from './locales/allowed.ts'
import { type FlatTexts, findTranslationFaults, flattenTexts, keyWithoutPluralForm, type Texts } from './locales/catalogue.ts'
import { findGlossaryFaults } from './locales/glossary.ts'
import { type KeyUse, readSource, type Source } from './locales/sources.ts'

const root = path.join(import.meta.dirname, '..')
const web = path.join(root, 'web', 'src')
const locales = path.join(web, 'locales')

type Registry = Readonly<{
  languages: readonly Readonly<{ code: string; partial?: true }>[]
}>

async function load<Module>(file: string): Promise<Module> {
  return (await import(file)) as Module
}

function areaNames(language: string) {
  return readdirSync(path.join(locales, language))
    .filter((name) => name.endsWith('.ts') && name !== 'index.ts')
    .map((name) => name.slice(0, -3))
}

async function readLanguage(language: string): Promise<Map<string, FlatTexts>> {
  const areas = new Map<string, FlatTexts>()
  for (const area of areaNames(language)) {
    const file = await load<{ default: Texts }>(path.join(locales, language, `${area}.ts`))
    areas.set(area, flattenTexts(file.default))
  }
  return areas
}

const none: FlatTexts = new Map()

/**
 * Compares the catalogs of all languages with English.
 * @returns the faults
 */
async function checkCatalogues(english: ReadonlyMap<string, FlatTexts>): Promise<string[]> {
  const { languages } = await load<Registry>(path.join(web, 'lib', 'languages.ts'))
  const faults: string[] = []
  for (const { code, partial } of languages.filter((language) => language.code !== 'en-US')) {
    const own = existsSync(path.join(locales, code)) ? await readLanguage(code) : new Map<string, FlatTexts>()
    for (const [area, texts] of english) {
      const rules = {
        code,
        isPartial: partial === true,
        mayRepeat: (key: string, text: string) => mayRepeatEnglish(code, `${area}:${key}`, text),
      }
      faults.push(...findTranslationFaults(texts, own.get(area) ?? none, rules).map((fault) => `${code}/${area}.ts: ${fault}`))
    }
    for (const area of own.keys()) if (!english.has(area)) faults.push(`${code}/${area}.ts: en-US has no such area`)
  }
  return faults
}

/** Returns a message for each forbidden word in the texts of the web client and the server. */
async function checkWords(): Promise<string[]> {
  const { languages } = await load<Registry>(path.join(web, 'lib', 'languages.ts'))
  const { serverTexts } = await load<{ serverTexts: Readonly<Record<string, Texts>> }>(
    path.join(root, 'services', 'contract', 'src', 'server-texts.ts'),
  )
  const faults: string[] = []
  for (const { code } of languages) {
    const areas = new Map([...(await readLanguage(code)), ['server', flattenTexts(serverTexts[code] ?? {})] as const])
    for (const [area, texts] of areas)
      for (const [key, text] of texts)
        faults.push(...findGlossaryFaults(code, `${area}:${key}`, text).map((fault) => `${code}, ${area}: ${key} ${fault}`))
  }
  return faults
}

function isTest(file: string) {
  return /\.test\.tsx?$|^testing\//.test(file)
}

/** Returns faults in the code: unknown keys, unused keys, and texts that are not in a catalog. */
function checkCode(english: ReadonlyMap<string, FlatTexts>): string[] {
  const areas = new Set(english.keys())
  const files = globSync('**/*.{ts,tsx}', { cwd: web }).filter((file) => !file.startsWith('locales/') && !isTest(file))
  const sources = files.map((file) => ({ file, source: readSource(file, readFileSync(path.join(web, file), 'utf8'), areas) }))
  const keysOf = new Map([...english].map(([area, texts]) => [area, new Set([...texts.keys()].map(keyWithoutPluralForm))]))
  const searched = (source: Source, { area }: KeyUse) => (area ? [area] : source.areas.size > 0 ? [...source.areas] : [...areas])

  const faults: string[] = []
  const used = new Map([...areas].map((area) => [area, new Set<string>()]))
  const mark = (source: Source, use: KeyUse): boolean => {
    let found = false
    for (const area of searched(source, use))
      for (const key of keysOf.get(area) ?? [])
        if (use.pattern.test(key)) {
          used.get(area)?.add(key)
          found = true
        }
    return found
  }
  for (const { file, source } of sources) {
    for (const use of source.mentions) mark(source, use)
    for (const use of source.lookups)
      if (!mark(source, use)) faults.push(`web/src/${file}:${use.line}: no text has the key "${use.text}"`)
    for (const { text, line } of source.hardCoded)
      if (!codeTexts.some((known) => known.test(text))) faults.push(`web/src/${file}:${line}: "${text}" belongs into a catalogue`)
  }
  for (const [area, keys] of keysOf)
    for (const key of keys) if (!used.get(area)?.has(key)) faults.push(`en-US/${area}.ts: ${key} is not used`)
  return faults
}

const english = await readLanguage('en-US')
const faults = [...(await checkCatalogues(english)), ...(await checkWords()), ...checkCode(english)]
for (const fault of faults) console.error(fault)
if (faults.length > 0) console.error(`${faults.length} faults in the texts`)
process.exitCode = faults.length > 0 ? 1 : 0
