export function normalizedTagKey(tag: string): string {
  return tag.normalize('NFC').toLowerCase()
}

/** Returns the tags to store: trimmed, and without empty and repeated tags. */
export function normalizeTags(tags: readonly string[]): string[] {
  const known = new Map<string, string>()
  for (const tag of tags.map((given) => given.trim()))
    if (tag !== '' && !known.has(normalizedTagKey(tag))) known.set(normalizedTagKey(tag), tag)
  return [...known.values()]
}
