export function tagKey(tag: string): string {
  return tag.normalize('NFC').toLowerCase()
}

/** Returns the tags to store: trimmed, and without empty and repeated tags. */
export function normalizeTags(tags: readonly string[]): string[] {
  const known = new Map<string, string>()
  for (const tag of tags.map((given) => given.trim())) if (tag !== '' && !known.has(tagKey(tag))) known.set(tagKey(tag), tag)
  return [...known.values()]
}
