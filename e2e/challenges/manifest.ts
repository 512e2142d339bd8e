import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** What every demo challenge states in its `challenge.json`. */
interface ManifestBase {
  /** Name of the folder, and of the image: `capstan/demo-<slug>:dev`. */
  readonly slug: string
  readonly title: string
  readonly category: 'Misc' | 'Crypto' | 'Web' | 'Reverse' | 'Forensics' | 'Hardware' | 'PPC' | 'OSINT'
  /** Markdown file beside the manifest. */
  readonly description: string
  readonly hints: readonly string[]
  readonly originalScore: number
  readonly minScoreRate: number
  readonly difficulty: number
}

/** The container part of a manifest: the image as built, and how the same program runs as a child process. */
interface ManifestContainer {
  readonly image: string
  /** Port the program listens on inside the container. */
  readonly port: number
  readonly memoryMb: number
  readonly cpuTenths: number
  readonly storageMb: number
  /** What a player connects with. */
  readonly protocol: 'tcp' | 'http'
  /** Run in the challenge's folder with FLAG, TEAM_ID, PORT and HOST set. */
  readonly run: readonly [string, ...string[]]
}

/** How a file is made when the game is seeded: no made file is committed. */
interface ManifestAttachment {
  /** Module beside the manifest that exports `makeAttachment(flag): Uint8Array`. */
  readonly make: string
  /** Name players download it under. */
  readonly fileName: string
}

interface StaticAttachmentManifest extends ManifestBase {
  readonly type: 'StaticAttachment'
  readonly flags: readonly [string, ...string[]]
  readonly attachment?: ManifestAttachment
}

export interface DynamicAttachmentManifest extends ManifestBase {
  readonly type: 'DynamicAttachment'
  /** `[HEX]` becomes 12 random hex digits, anew for each file. */
  readonly fileFlag: string
  /** How many files to make; must exceed the number of teams. */
  readonly fileCount: number
  readonly attachment: ManifestAttachment
}

interface StaticContainerManifest extends ManifestBase, ManifestContainer {
  readonly type: 'StaticContainer'
  readonly flags: readonly [string, ...string[]]
}

interface DynamicContainerManifest extends ManifestBase, ManifestContainer {
  readonly type: 'DynamicContainer'
  readonly flagTemplate: string
}

export type ChallengeManifest =
  | StaticAttachmentManifest
  | DynamicAttachmentManifest
  | StaticContainerManifest
  | DynamicContainerManifest

export type ContainerManifest = StaticContainerManifest | DynamicContainerManifest

const root = import.meta.dirname

/** Absolute path of a challenge's folder. */
export const challengeFolder = (slug: string): string => path.join(root, slug)

/** Every manifest of the demo game, by slug. Their shape is proven by `manifest.test.ts`. */
export function listManifests(): ChallengeManifest[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .filter((slug) => existsSync(path.join(root, slug, 'challenge.json')))
    .sort()
    .map((slug) => JSON.parse(readFileSync(path.join(root, slug, 'challenge.json'), 'utf8')) as ChallengeManifest)
}

/** The manifest of one challenge. Throws if there is none of that slug. */
export function getManifest(slug: string): ChallengeManifest {
  const found = listManifests().find((manifest) => manifest.slug === slug)
  if (!found) throw new Error(`There is no demo challenge '${slug}'`)
  return found
}

export const hasContainer = (manifest: ChallengeManifest): manifest is ContainerManifest =>
  manifest.type === 'StaticContainer' || manifest.type === 'DynamicContainer'

/** The Markdown text players read. */
export const readDescription = (manifest: ChallengeManifest): string =>
  readFileSync(path.join(challengeFolder(manifest.slug), manifest.description), 'utf8')

/** Where images come from when they are not the ones built locally. */
export interface ImageSource {
  /** Replaces `capstan/demo-` in front of the slug, for example `registry.example.org/ctf/demo-`. */
  readonly imagePrefix?: string | undefined
  /** Replaces `dev`. */
  readonly imageTag?: string | undefined
}

/** Image name of a container challenge; as in its manifest unless another source is given. */
export function imageName(manifest: ContainerManifest, source: ImageSource = {}): string {
  if (source.imagePrefix === undefined && source.imageTag === undefined) return manifest.image
  return `${source.imagePrefix ?? 'capstan/demo-'}${manifest.slug}:${source.imageTag ?? 'dev'}`
}
