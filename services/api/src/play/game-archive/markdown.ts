import { createContext, Script } from 'node:vm'
import { escapeHtml } from '@capstan/http/escape-html'
import { Marked, type Tokens } from 'marked'
import { Html } from './html.ts'

/** Maximum time to render a text, in ms. A usual text takes a few ms. */
const maxRenderMs = 2_000

const context: { work?: () => unknown } = {}
createContext(context)
const script = new Script('work()')

/**
 * Runs a function for at most `maxRenderMs`.
 * @throws Error if the function takes longer
 */
function runLimited<Result>(work: () => Result): Result {
  context.work = work
  return script.runInContext(context, { timeout: maxRenderMs }) as Result
}

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

/**
 * Converts Markdown to safe HTML. HTML elements in the source are shown as text. Images of other sites become links, so that a
 * reader of the archive makes no requests.
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
    // The parser has regular expressions with quadratic run time. The text `a.a.a.…` of the maximum length would take three
    // minutes.
    return new Html(runLimited(() => marked.parse(source, { async: false })))
  } catch {
    // The parser took too long, or its recursion overflowed the stack because the text has thousands of levels.
    return new Html(`<pre>${escapeHtml(source)}</pre>`)
  }
}
