import { assetsPath, fileAddress } from '@capstan/contract/asset-address'

/** An image of a Markdown text: where its address stands, and what it is. */
interface ImageAddress {
  readonly start: number
  readonly end: number
  readonly address: string
}

const isBreak = (character: string | undefined): boolean =>
  character === undefined || character === ')' || character === '"' || character.trim() === ''

/** Images of a Markdown text, `![words](address "title")`, in one pass. */
const imagesOf = (markdown: string): ImageAddress[] => {
  const found: ImageAddress[] = []
  let from = markdown.indexOf('![')
  while (from >= 0) {
    const middle = markdown.indexOf('](', from)
    if (middle < 0) break
    // The innermost of several that begin: the others are no images.
    const start = middle + 2
    let end = start
    while (!isBreak(markdown[end])) end++
    if (end > start) found.push({ start, end, address: markdown.slice(start, end) })
    from = markdown.indexOf('![', end)
  }
  return found
}

/** The same text with other addresses of images; undefined leaves one as it is. */
export const withImages = (markdown: string, replace: (address: string) => string | undefined): string => {
  let text = ''
  let done = 0
  for (const { start, end, address } of imagesOf(markdown)) {
    const other = replace(address)
    if (other === undefined) continue
    text += markdown.slice(done, start) + other
    done = end
  }
  return text + markdown.slice(done)
}

/** A stored file that a text names. */
export interface StoredImage {
  readonly hash: string
  readonly name: string
}

/** What `/assets/{hash}/{name}` names; undefined for other addresses. */
export const storedImageOf = (address: string): StoredImage | undefined => {
  const [empty, assets, hash = '', name = '', ...others] = address.split('/')
  const isStored =
    empty === '' && `/${assets}` === assetsPath && /^[0-9a-f]{64}$/.test(hash) && name !== '' && others.length === 0
  if (!isStored) return undefined
  try {
    return { hash, name: decodeURIComponent(name) }
  } catch {
    return undefined
  }
}

export const storedAddress = ({ hash, name }: StoredImage): string => fileAddress(hash, name)
