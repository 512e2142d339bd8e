/** Address of an avatar (user or team); null without one. Behaviour §17. */
export const avatarUrl = (hash: string | null): string | null => (hash === null ? null : `/assets/${hash}/avatar`)
