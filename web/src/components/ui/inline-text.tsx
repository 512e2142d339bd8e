import { lazy, Suspense } from 'react'
import { loadFile } from '../../lib/load-file.ts'

const Markdown = lazy(() => loadFile(() => import('./markdown.tsx')).then((file) => ({ default: file.Markdown })))

const linkPattern = /\[([^\][]+)\]\((https?:\/\/[^\s()]+|\/[^\s()]*)\)/

/** True for text that has no Markdown beyond links, so that no parser is needed. */
function isPlain(source: string) {
  return !/[*_`#<>~$|!\\]|\n\s*([-+]|\d+\.)\s|\n\s*\n/.test(source.replaceAll(new RegExp(linkPattern, 'g'), ''))
}

/** A line of Markdown such as the footer: text with links is shown at once, everything else by the full parser. */
export function InlineText({ source }: { readonly source: string }) {
  if (!isPlain(source))
    return (
      <Suspense>
        <Markdown source={source} compact />
      </Suspense>
    )
  // Splitting by a pattern with two groups gives text, label, address, text, …
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
