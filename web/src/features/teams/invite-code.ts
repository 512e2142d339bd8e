import { paths } from '../../lib/paths.ts'

type Invitation = Readonly<{
  /** As it is sent to the server. */
  code: string
  teamId: number
  /** As it was when the code was copied; the team may be called otherwise by now. */
  teamName: string
}>

/** The parts of a code between its last two colons, and what stands before them. */
function split(code: string): { name: string; id: string; token: string } | undefined {
  const parts = code.split(':')
  const token = parts.pop() ?? ''
  const id = parts.pop() ?? ''
  const name = parts.join(':')
  return name !== '' && /^\d+$/.test(id) && /^[0-9a-f]{32}$/.test(token) ? { name, id, token } : undefined
}

/** Reads `{team name}:{team id}:{32 hex digits}`; undefined for anything else. Names may have colons. */
export function readInvitation(text: string): Invitation | undefined {
  const code = text.trim()
  const parts = split(code)
  if (!parts || !/^[1-9]\d{0,9}$/.test(parts.id)) return undefined
  return { code, teamName: parts.name, teamId: Number(parts.id) }
}

/** Name, number and token with their colons, for showing: a name may be written from right to left, the rest is not. */
export function partsOfCode(code: string): readonly string[] {
  const parts = split(code)
  return parts ? [parts.name, `:${parts.id}`, `:${parts.token}`] : [code]
}

const key = 'join'

/** Address of the teams page with the code filled in. In the fragment, so that no server logs it. */
export function invitationLink(code: string): string {
  return `${location.origin}${paths.teams.to()}#${new URLSearchParams({ [key]: code })}`
}

/** The code in the fragment of an address; empty without one. */
export function codeOfFragment(fragment: string): string {
  return new URLSearchParams(fragment.replace(/^#/, '')).get(key) ?? ''
}
