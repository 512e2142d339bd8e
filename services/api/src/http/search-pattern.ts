/** Pattern for SQL `like` that matches `text` anywhere; `%` and `_` stand for themselves. */
export const anywhere = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
