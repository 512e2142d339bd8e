type Kubectl = (args: string[]) => Promise<string>

/** Returns a map from the name of each Secret in a backup to its name in the release. */
export function secretNamesOf(release: string, kubectl: Kubectl): Promise<Record<string, string>>

/** Returns the content of the release's Secrets. */
export function readSecrets(release: string, kubectl: Kubectl): Promise<{ name: string; data: Record<string, string> }[]>

/** Returns a shell command that writes a tar archive of the api's files to standard output. */
export function packFilesCommand(folder: string): string
