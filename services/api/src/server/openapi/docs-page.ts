const style = `
:root { color-scheme: dark light; --line: color-mix(in oklch, currentColor 18%, transparent); --quiet: color-mix(in oklch, currentColor 68%, transparent) }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 72rem; padding: 2rem 1rem; font: 15px/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
input { font: inherit; width: 100%; padding: .6rem .8rem; margin: 1rem 0; border: 1px solid var(--line); border-radius: 6px; background: transparent; color: inherit }
details { border-top: 1px solid var(--line) } summary { display: flex; gap: .75rem; flex-wrap: wrap; padding: .5rem 0; cursor: pointer }
code, pre { font: 13px/1.5 ui-monospace, monospace } pre { overflow: auto; margin: 0 0 1rem; padding: .75rem; border: 1px solid var(--line); border-radius: 6px }
.method { width: 4rem; font-weight: 600 } .quiet { color: var(--quiet) } h3 { font-size: .9rem; margin: .5rem 0 }
:focus-visible { outline: 2px solid; outline-offset: 2px }
`

/** Browser script that fetches the description and lists its calls. It inserts everything as text, never as HTML. */
const script = `
const show = (tag, text, className) => Object.assign(document.createElement(tag), { textContent: text ?? '', className: className ?? '' })
const root = document.querySelector('main'), search = document.querySelector('input')
const resolve = (schema, api, depth = 0) => {
  if (Array.isArray(schema)) return schema.map((item) => resolve(item, api, depth))
  if (!schema || typeof schema !== 'object') return schema
  if (schema.$ref) return depth > 3 ? schema.$ref.split('/').pop() : resolve(api.components.schemas[schema.$ref.split('/').pop()], api, depth + 1)
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolve(value, api, depth)]))
}
const block = (title, schema, api) => schema ? [show('h3', title), show('pre', JSON.stringify(resolve(schema, api), null, 2))] : []
const callOf = (path, method, call, api) => {
  const details = show('details'), summary = show('summary')
  summary.append(show('code', method.toUpperCase(), 'method'), show('code', path), show('span', call.summary, 'quiet'), show('span', call['x-access'], 'quiet'))
  details.append(summary)
  details.addEventListener('toggle', () => {
    if (details.dataset.filled) return
    details.dataset.filled = 'yes'
    if (call.description) details.append(show('p', call.description))
    details.append(...block('Parameters', call.parameters, api), ...block('Body', call.requestBody?.content, api), ...block('Answer', call.responses['200'], api))
    details.append(show('p', 'Refusals: ' + Object.keys(call.responses).filter((status) => status !== '200').join(', '), 'quiet'))
  })
  details.dataset.text = (method + ' ' + path + ' ' + (call.summary ?? '')).toLowerCase()
  return details
}
try {
  const api = await (await fetch('/api/openapi.json')).json()
  const byTag = Map.groupBy(Object.entries(api.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, call]) => ({ path, method, call }))), ({ call }) => call.tags[0])
  for (const [tag, calls] of byTag) {
    const section = show('section')
    section.append(show('h2', tag), ...calls.map(({ path, method, call }) => callOf(path, method, call, api)))
    root.append(section)
  }
} catch {
  root.append(show('p', 'The description could not be loaded. Reload the page to try again.'))
}
search.addEventListener('input', () => {
  const wanted = search.value.trim().toLowerCase()
  for (const details of root.querySelectorAll('details')) details.hidden = !details.dataset.text.includes(wanted)
  for (const section of root.querySelectorAll('section')) section.hidden = !section.querySelector('details:not([hidden])')
})
`

/** Returns a page that lists the calls of `/api/openapi.json`. The page loads no other files. */
export function renderDocsPage(nonce: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Capstan API</title>
<link rel="icon" href="/favicon.webp"><style nonce="${nonce}">${style}</style></head>
<body><h1>Capstan API</h1><p class="quiet">Machine-readable: <a href="/api/openapi.json">openapi.json</a></p>
<input type="search" placeholder="Search calls" aria-label="Search calls"><main></main>
<script type="module" nonce="${nonce}">${script}</script></body></html>`
}
