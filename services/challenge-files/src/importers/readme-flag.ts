import { type FileTree, folderOf, readTextIfPossible } from '../tree.ts'
import type { Fields } from './fields.ts'

const maxBytes = 256 * 1024

function readmesOf({ paths }: FileTree, folder: string): string[] {
  return paths.filter((path) => folderOf(path) === folder && /(?:^|\/)readme\.(?:md|txt)$/i.test(path))
}

function isFlag(text: string): boolean {
  const at = text.indexOf('{')
  return at > 0 && text.endsWith('}') && !/\s/.test(text) && !text.includes('...')
}

/** Maximum number of characters between the word "flag" and the code span with the flag. */
const maxGap = 12
/** Maximum length of a text such as ``flag: `ctf{x}` ``, in characters. */
const maxLength = 220

/** Returns every flag in a code span that follows the word "flag". Only punctuation may be between the word and the code span. */
function flagsIn(text: string): string[] {
  const found: string[] = []
  const small = text.toLowerCase()
  for (let at = small.indexOf('flag'); at !== -1; at = small.indexOf('flag', at + 1)) {
    const [gap = '', code, ...rest] = text.slice(at + 'flag'.length, at + maxLength).split('`')
    if (rest.length > 0 && gap.length <= maxGap && !/[\w{}]/.test(gap) && code !== undefined && isFlag(code)) found.push(code)
  }
  return found
}

/**
 * Returns the flag in a README of the folder, as in ``Flag: `ctf{x}` ``, and reports its source.
 * @returns undefined if the README files contain no flag or different flags
 */
export function findReadmeFlag(tree: FileTree, folder: string, fields: Fields, key: string): string | undefined {
  const named = readmesOf(tree, folder).flatMap((path) => flagsIn(readTextIfPossible(tree, path, maxBytes) ?? ''))
  const [only, ...others] = [...new Set(named)]
  if (only === undefined || others.length > 0) return undefined
  fields.note(key, 'converted', 'The flag is the one that the README names.', 'Check it.')
  return only
}
