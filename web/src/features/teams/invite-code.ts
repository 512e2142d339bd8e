import { paths } from '../../app/paths.ts'

interface Invitation {
  /** As it is sent to the server. */
  readonly code: string
  readonly teamId: number
  /** As it was when the code was copied; the team may be called otherwise by now. */
  readonly teamName: string
}

/** Reads `{team name}:{team id}:{32 hex digits}`; undefined for anything else. Names may have colons. Behaviour §6. */
export function readInvitation(text: string): Invitation | undefined {
  const code = text.trim()
  const match = /^(.+):([1-9]\d{0,9}):[0-9a-f]{32}$/.exec(code)
  return match?.[1] && match[2] ? { code, teamName: match[1], teamId: Number(match[2]) } : undefined
}

/** Name, number and token with their colons, for showing: a name may be written from right to left, the rest is not. */
export const partsOfCode = (code: string): readonly string[] => /^(.+)(:\d+)(:[0-9a-f]{32})$/.exec(code)?.slice(1) ?? [code]

const key = 'join'

/** Address of the teams page with the code filled in. In the fragment, so that no server logs it. */
export const invitationLink = (code: string): string =>
  `${location.origin}${paths.teams.to()}#${new URLSearchParams({ [key]: code })}`

/** The code in the fragment of an address; empty without one. */
export const codeOfFragment = (fragment: string): string => new URLSearchParams(fragment.replace(/^#/, '')).get(key) ?? ''
