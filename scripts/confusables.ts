// Usage: node scripts/confusables.ts PATH
//
// Makes services/api/src/names/confusables.ts from the file `confusables.txt` of Unicode Technical Standard 39, found at
// https://www.unicode.org/Public/security/latest/confusables.txt. Run it with the Node of the platform when that file is new.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

const [source] = process.argv.slice(2)
if (!source) {
  console.error('Usage: node scripts/confusables.ts PATH')
  process.exit(2)
}
const text = readFileSync(source, 'utf8')
const version = /^# Version: (\S+)/m.exec(text)?.[1]
const copyright = /^# (©.*)$/m.exec(text)?.[1]
if (!version || !copyright) throw new Error(`${source} is no confusables.txt`)

const textOf = (hex: string): string => String.fromCodePoint(...hex.split(' ').map((one) => Number.parseInt(one, 16)))
const hexOf = (characters: string): string => [...characters].map((one) => one.codePointAt(0)?.toString(16)).join(' ')
const decompose = (characters: string): string => characters.normalize('NFKC').normalize('NFD')

const prototypes = new Map<string, string>()
for (const [, from = '', to = ''] of text.matchAll(/^([0-9A-F]+) ;\t([0-9A-F]+(?: [0-9A-F]+)*) ;\tMA/gm))
  prototypes.set(textOf(from), textOf(to))

/** Prototypes are drawn alike too once they are decomposed: until nothing changes. */
const settle = (characters: string): string => {
  const next = decompose([...decompose(characters)].map((one) => prototypes.get(one) ?? one).join(''))
  return next === characters ? next : settle(next)
}

/** What compatibility decomposition takes away never comes to be looked up. */
const groups = new Map<string, string[]>()
for (const [from, to] of prototypes) {
  const prototype = settle(to)
  if (decompose(from) === from && prototype !== from) groups.set(prototype, [...(groups.get(prototype) ?? []), hexOf(from)])
}
const lines = [...groups].map(([prototype, sources]) => `${hexOf(prototype)}:${sources.join(',')}`)

const target = path.join(import.meta.dirname, '../services/api/src/names/confusables.ts')
writeFileSync(
  target,
  `// Made by scripts/confusables.ts from confusables.txt of Unicode ${version} (UTS 39), ${copyright}
// SPDX-License-Identifier: Unicode-3.0, the text is in unicode-license.txt beside this file.

/** Characters that are drawn like others. In each line: the code points of a prototype, and after the colon what looks like it. */
export const confusables = \`
${lines.join('\n')}
\`
`,
)
