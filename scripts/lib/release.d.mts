type Kubectl = (args: string[]) => Promise<string>

/** Names of the release's Secrets, by the names that a backup has for them. */
export function secretNamesOf(release: string, kubectl: Kubectl): Promise<Record<string, string>>

/** The content of the release's Secrets. */
export function readSecrets(release: string, kubectl: Kubectl): Promise<{ name: string; data: Record<string, string> }[]>

/** A shell command that packs the api's files. */
export function packFiles(folder: string): string
