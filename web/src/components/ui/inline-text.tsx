import { lazy, Suspense } from 'react'
import { loadApplicationFile } from '../../lib/load-file.ts'

const Markdown = lazy(() => loadApplicationFile(() => import('./markdown.tsx')).then((file) => ({ default: file.Markdown })))

const linkPattern = /\[([^\][]+)\]\((https?:\/\/[^\s()]+|\/[^\s()]*)\)/

/** True if links are the only Markdown in the text. Such text needs no parser. */
function isPlain(source: string) {
  return !/[*_`#<>~$|!\\]|\n\s*([-+]|\d+\.)\s|\n\s*\n/.test(source.replaceAll(new RegExp(linkPattern, 'g'), ''))
}

/**
 * Line of Markdown, for example in the footer. If links are the only Markdown syntax, the text renders immediately. Otherwise the
 * full parser must load first.
 */
export function InlineText({ source }: { readonly source: string }) {
  if (!isPlain(source))
    return (
      <Suspense>
        <Markdown source={source} compact />
      </Suspense>
    )
  // Splitting by a pattern with two groups returns text, label, address, text, label, address and so on.
  const parts = source.split(linkPattern)
  return parts.map((part, index) => {
    if (index % 3 === 0) return part
    if (index % 3 === 2) return null
    const address = parts[index + 1] ?? ''
    return (
      <a
        key={`${address} ${part}`}
        href={address}
        {...(!address.startsWith('/') && { target: '_blank', rel: 'noopener noreferrer' })}
      >
        {part}
      </a>
    )
  })
}
