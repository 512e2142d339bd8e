import { lazy, Suspense } from 'react'
import { loadFile } from '../../lib/load-file.ts'

const Markdown = lazy(() => loadFile(() => import('./markdown.tsx')).then((file) => ({ default: file.Markdown })))

const linkPattern = /\[([^\][]+)\]\((https?:\/\/[^\s()]+|\/[^\s()]*)\)/

/** True for text without Markdown except links, which needs no parser. */
function isPlain(source: string) {
  return !/[*_`#<>~$|!\\]|\n\s*([-+]|\d+\.)\s|\n\s*\n/.test(source.replaceAll(new RegExp(linkPattern, 'g'), ''))
}

/** Line of Markdown, such as the footer. Text with links renders immediately, other Markdown by the full parser. */
export function InlineText({ source }: { readonly source: string }) {
  if (!isPlain(source))
    return (
      <Suspense>
        <Markdown source={source} compact />
      </Suspense>
    )
  // A pattern with two groups splits into text, label, address, text, …
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
