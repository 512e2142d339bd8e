const className = /\.([a-z_][\w-]*)/gi
const globalClass = /:global\([^()]*\)/g

function withoutComments(css: string): string {
  const [first = '', ...others] = css.split('/*')
  return [first, ...others.map((each) => each.slice(each.indexOf('*/') + 2))].join('')
}

export function cssClassesOf(css: string): ReadonlySet<string> {
  const selectors = withoutComments(css)
    .split(/(?<=[{};])/)
    .filter((part) => part.endsWith('{') && !part.trimStart().startsWith('@'))
    .map((part) => part.replace(globalClass, ''))
  return new Set(selectors.flatMap((selector) => [...selector.matchAll(className)].map(([, name = '']) => name)))
}

type Module = Readonly<{
  css: string
  /** TypeScript files that import the CSS file. `name` is the imported name, such as `styles`. */
  users: readonly Readonly<{ name: string; source: string }>[]
}>

/** Returns CSS classes that no TypeScript file uses. Returns no class if a file computes class names. */
export function findUnusedCssClasses({ css, users }: Module): string[] {
  if (users.some(({ name, source }) => source.includes(`${name}[`))) return []
  const used = users.flatMap(({ name, source }) =>
    [...source.matchAll(/\b(\w+)\.([a-z_]\w*)/gi)].filter(([, object]) => object === name).map(([, , member]) => member),
  )
  return [...cssClassesOf(css)].filter((name) => !used.includes(name))
}
