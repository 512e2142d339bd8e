function partsOf(path: string): string[] {
  const parts = path.toLowerCase().split('/')
  return parts.at(-1) === '' ? parts.slice(0, -1) : parts
}

function serves(pattern: readonly string[], parts: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '*'
  const fixed = isOpen ? pattern.slice(0, -1) : pattern
  if (isOpen ? parts.length < fixed.length : parts.length !== fixed.length) return false
  return fixed.every((part, index) => (part.startsWith(':') ? parts[index] !== '' : part === parts[index]))
}

/** Creates a table of registered routes. It distinguishes an unknown address from a wrong method. */
export function createKnownRouteTable() {
  const routes: Readonly<{ method: string; pattern: readonly string[] }>[] = []
  return {
    /** Adds a route. @param url the registered URL, with `:name` for a segment and `*` for the rest of the path */
    add(method: string, url: string): void {
      routes.push({ method, pattern: partsOf(url) })
    },
    methodsOf(path: string): string[] {
      const parts = partsOf(path)
      return [...new Set(routes.filter(({ pattern }) => serves(pattern, parts)).map(({ method }) => method))]
    },
  }
}
