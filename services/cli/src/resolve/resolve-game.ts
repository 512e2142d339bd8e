import type { GameFile, Secret } from '@capstan/challenge-files/format/game'
import { encodeBloodBonus } from '@capstan/contract/blood'
import { type CertificateWrite, certificatePlaceholders, findUnknownPlaceholder } from '@capstan/contract/certificates'
import { defaultLanguage } from '@capstan/contract/languages'
import { Defaults } from '@capstan/contract/limits'
import { type Content, contentOfFile } from '../content.ts'
import type { Folder } from '../folder-tree.ts'
import { normalizeLineEnds } from '../state/digest.ts'
import { defaultDivisionRights, sortDivisionRights } from '../state/division-rights.ts'
import { type GameState, toSortedBonuses } from '../state/game-state.ts'
import { type ResolveContext, Unresolved } from './resolve-context.ts'
import { maxFileBytes, resolveMarkdownText, resolvePathInFolder, type Uploads } from './text.ts'

export type WantedGame = Readonly<{
  /** All settings except the poster. The platform converts the poster into another picture, so it is compared separately. */
  state: Omit<GameState, 'poster'>
  /** Names of the divisions whose rights the file mentions. The rights of all other divisions do not change. */
  divisionsWithRights: ReadonlySet<string>
  images: Uploads
  poster: Readonly<{ name: string; content: Content }> | undefined
}>

function secretOf(secret: Secret | undefined, environment: ResolveContext['environment']): string | null {
  if (typeof secret !== 'object') return secret?.trim() || null
  const value = environment[secret.environment]?.trim()
  if (!value)
    throw new Unresolved(`The environment variable ${secret.environment} is not set. It must contain an invitation code.`)
  return value
}

function instantOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : new Date(text).toISOString()
}

function perMille(percent = 0): number {
  return Math.round(percent * 10)
}

function rightsOf(
  { divisions = [], acceptWithoutReview = false }: GameFile,
  { divisionRights }: Pick<GameState, 'divisionRights'>,
) {
  const known = new Map(divisionRights.map((each) => [each.name, each]))
  return divisions
    .map(({ name, rights, challenges }) => {
      const before = known.get(name.trim())
      return sortDivisionRights(
        name.trim(),
        rights ?? before?.rights ?? defaultDivisionRights(acceptWithoutReview),
        challenges ?? before?.challenges,
      )
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** @throws Unresolved for an unknown placeholder */
function certificateOf(file: NonNullable<GameFile['certificate']>): CertificateWrite {
  const { title, text, participationText, signer = '' } = file
  const unknown = findUnknownPlaceholder([title, text, participationText, signer].join('\n'))
  if (unknown !== undefined) {
    const known = certificatePlaceholders.map((name) => `{${name}}`).join(', ')
    throw new Unresolved(`certificate: ${unknown} is not a placeholder. The placeholders are ${known}.`)
  }
  return {
    isEnabled: file.enabled ?? false,
    title,
    text: normalizeLineEnds(text),
    participationText: normalizeLineEnds(participationText),
    signer: normalizeLineEnds(signer),
    paper: file.paper ?? 'A4',
    orientation: file.orientation ?? 'landscape',
    language: file.language ?? defaultLanguage,
  }
}

/**
 * Resolves the settings in the file of a game.
 * @param present the settings of the game on the platform. A setting that the file does not contain retains its value on the
 * platform
 * @throws Unresolved
 */
export function resolveGame(
  tree: Folder,
  folder: string,
  file: GameFile,
  { environment }: Pick<ResolveContext, 'environment'>,
  present: Pick<GameState, 'starts' | 'ends' | 'writeupsDeadline' | 'divisionRights' | 'survey' | 'certificate'>,
): WantedGame {
  const { text, images } = resolveMarkdownText(tree, folder, file.description)
  const ends = instantOf(file.ends)
  const { poster } = file
  return {
    state: {
      title: file.title.trim(),
      hidden: file.hidden ?? false,
      summary: file.summary ?? '',
      description: text,
      starts: instantOf(file.starts) ?? present.starts,
      ends: ends ?? present.ends,
      practice: file.practice ?? true,
      acceptWithoutReview: file.acceptWithoutReview ?? false,
      inviteCode: secretOf(file.inviteCode, environment),
      divisions: (file.divisions ?? []).map(({ name, inviteCode }) => ({
        name: name.trim(),
        inviteCode: secretOf(inviteCode, environment),
      })),
      divisionRights: rightsOf(file, present),
      teamSize: file.teamSize ?? 0,
      instancesPerTeam: file.instancesPerTeam ?? Defaults.instancesPerTeam,
      writeupsRequired: file.writeups?.required ?? false,
      writeupsDeadline: instantOf(file.writeups?.deadline) ?? ends ?? present.writeupsDeadline,
      writeupsNote: file.writeups?.note ?? '',
      bloodBonus:
        file.bloodBonus === undefined
          ? Defaults.bloodBonus
          : encodeBloodBonus({
              first: perMille(file.bloodBonus.first),
              second: perMille(file.bloodBonus.second),
              third: perMille(file.bloodBonus.third),
            }),
      bloodPoints: toSortedBonuses(file.bloodPoints),
      allowsDebt: file.allowsDebt ?? false,
      freeze: instantOf(file.freeze) ?? null,
      registrationOpens: instantOf(file.registration?.opens) ?? null,
      registrationCloses: instantOf(file.registration?.closes) ?? null,
      teamLimit: file.registration?.teams ?? null,
      survey: file.survey ?? present.survey,
      questions: (file.questions ?? []).map(
        ({ scope = 'Member', kind = 'ShortText', title, help = '', required = false, options = [] }) => ({
          scope,
          kind,
          title: title.trim(),
          help: help.trim(),
          required,
          options: options.map((option) => option.trim()),
        }),
      ),
      certificate: file.certificate ? certificateOf(file.certificate) : present.certificate,
    },
    divisionsWithRights: new Set(
      (file.divisions ?? []).flatMap(({ name, rights, challenges }) => (rights || challenges ? name.trim() : [])),
    ),
    images,
    poster:
      poster === undefined
        ? undefined
        : { name: poster, content: contentOfFile(tree.locate(resolvePathInFolder(folder, poster), maxFileBytes)) },
  }
}
