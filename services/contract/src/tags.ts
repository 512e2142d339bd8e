export function tagKey(tag: string): string {
  return tag.normalize('NFC').toLowerCase()
}

/** Returns the tags to store. They are trimmed, and empty and repeated tags are left out. */
export function normalizeTags(tags: readonly string[]): string[] {
  const known = new Map<string, string>()
  for (const tag of tags.map((given) => given.trim())) if (tag !== '' && !known.has(tagKey(tag))) known.set(tagKey(tag), tag)
  return [...known.values()]
}
