/** By which tags are equal. */
export const tagKey = (tag: string): string => tag.normalize('NFC').toLowerCase()

/** Tags as they are stored: trimmed, without empty ones, the first of those that are equal. */
export const tidyTags = (tags: readonly string[]): string[] => {
  const known = new Map<string, string>()
  for (const tag of tags.map((given) => given.trim())) if (tag !== '' && !known.has(tagKey(tag))) known.set(tagKey(tag), tag)
  return [...known.values()]
}
