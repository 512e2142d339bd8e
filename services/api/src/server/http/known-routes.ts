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

/** The registered routes, for telling an unknown address from one that is served with other methods. Compares part by part. */
export function createKnownRoutes() {
  const routes: { readonly method: string; readonly pattern: readonly string[] }[] = []
  return {
    /** @param url as it was registered, with `:name` for a part and `*` for the rest */
    add(method: string, url: string): void {
      routes.push({ method, pattern: partsOf(url) })
    },
    /** Methods that the path is served with, each once. */
    methodsOf(path: string): string[] {
      const parts = partsOf(path)
      return [...new Set(routes.filter(({ pattern }) => serves(pattern, parts)).map(({ method }) => method))]
    },
  }
}
