import { escapeHtml } from '@capstan/http/escape-html'
import { Marked, type Tokens } from 'marked'
import { Html } from './html.ts'

const storedFile = /^\/assets\/([0-9a-f]{64})\/([^/?#]*)$/

/** Returns the hashes of the stored files that a text refers to. */
export function findHashesOfStoredFiles(source: string): string[] {
  return [...source.matchAll(/\/assets\/([0-9a-f]{64})\//g)].flatMap(([, hash]) => hash ?? [])
}

/** Returns the address of a stored file in the archive. @returns undefined if the archive does not contain it */
export type FileAddress = (hash: string) => string | undefined

/**
 * Returns the target of a link for a page of the archive.
 * @returns undefined if the link is not safe or needs the platform
 */
function addressOf(href: string, fileOf: FileAddress): string | undefined {
  const [, hash] = storedFile.exec(href) ?? []
  if (hash !== undefined) return fileOf(hash)
  return /^(?:https?:\/\/|mailto:)/i.test(href) ? href : undefined
}

/** Returns a text as it is, without regard to its Markdown. */
export function renderAsPlainText(source: string): Html {
  return new Html(`<pre>${escapeHtml(source)}</pre>`)
}

/**
 * Converts Markdown to safe HTML. HTML elements in the source are shown as text. Images of other sites become links, so that a
 * reader of the archive makes no requests. The parser has regular expressions with quadratic run time, so use this function only
 * through `createMarkdownThread`.
 */
export function renderMarkdown(source: string, fileOf: FileAddress): Html {
  const marked = new Marked({ gfm: true, async: false })
  marked.use({
    renderer: {
      html: ({ text }) => escapeHtml(text),
      link({ href, tokens }: Tokens.Link) {
        const content = this.parser.parseInline(tokens)
        const address = addressOf(href, fileOf)
        return address === undefined ? content : `<a href="${escapeHtml(address)}" rel="noreferrer">${content}</a>`
      },
      image({ href, text }: Tokens.Image) {
        const address = addressOf(href, fileOf)
        if (address === undefined) return escapeHtml(text)
        const isStored = storedFile.test(href)
        return isStored
          ? `<img src="${escapeHtml(address)}" alt="${escapeHtml(text)}">`
          : `<a href="${escapeHtml(address)}" rel="noreferrer">${escapeHtml(text || address)}</a>`
      },
    },
  })
  try {
    return new Html(marked.parse(source, { async: false }))
  } catch {
    // The recursion of the parser overflowed the stack, because the text has thousands of levels.
    return renderAsPlainText(source)
  }
}
