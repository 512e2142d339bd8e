/** Returns the first characters of a text. A character is never split. */
export function truncateText(text: string, length: number): string {
  return [...text].slice(0, length).join('')
}
